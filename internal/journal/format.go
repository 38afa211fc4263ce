package journal

import (
	"encoding/binary"
	"hash/crc32"
)

// Offsets and sizes of the disk format; doc.go draws it and TestGolden holds it.
const (
	headerSize    = 64
	sealAt        = 64
	sealSize      = 24
	dataAt        = 128
	recordHead    = 8
	endMark       = 8 // room kept behind the last record for the zero word
	lengthBits    = 17
	maxRecord     = 64 << 10
	formatVersion = 1
	idLength      = 16
)

var (
	magic      = [8]byte{'p', 'c', 's', 'e', 'g', 'm', 'n', 't'}
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
	le         = binary.LittleEndian
)

// header is the fixed part at the beginning of a segment.
type header struct {
	number   uint64
	previous uint64
	salt     uint64
	id       string // idLength bytes
}

// put writes the header over the first dataAt bytes of b and leaves no seal and no record behind it, whatever b held.
func (h header) put(b []byte) {
	clear(b[:dataAt+endMark])
	copy(b, magic[:])
	le.PutUint32(b[8:], formatVersion)
	le.PutUint64(b[16:], h.number)
	le.PutUint64(b[24:], h.previous)
	le.PutUint64(b[32:], h.salt)
	copy(b[40:40+idLength], h.id)
	le.PutUint32(b[60:], crc32.Checksum(b[:60], castagnoli))
}

// parseHeader reads what put wrote. Every error but errVersion means that b is not a segment or a damaged one.
func parseHeader(b []byte) (header, error) {
	switch {
	case len(b) < dataAt+endMark:
		return header{}, errShort
	case [8]byte(b[:8]) != magic:
		return header{}, errMagic
	case le.Uint32(b[60:]) != crc32.Checksum(b[:60], castagnoli):
		return header{}, errHeaderChecksum
	case le.Uint32(b[8:]) != formatVersion:
		return header{}, errVersion
	}
	return header{
		number:   le.Uint64(b[16:]),
		previous: le.Uint64(b[24:]),
		salt:     le.Uint64(b[32:]),
		id:       string(b[40 : 40+idLength]),
	}, nil
}

// seal says where a segment ends and how many records it holds.
type seal struct {
	end   int64
	count uint64
}

// put writes the seal. The checksum comes last: a process killed in between leaves it zero, which means "not sealed".
func (e seal) put(b []byte, k key) {
	area := b[sealAt : sealAt+sealSize]
	le.PutUint64(area, uint64(e.end))
	le.PutUint64(area[8:], e.count)
	le.PutUint32(area[16:], 0)
	le.PutUint32(area[20:], crc32.Update(k.seed, castagnoli, area[:20]))
}

// parseSeal reads the seal. It returns ok = false if the segment is not sealed, and errSeal if the seal is unreadable.
func parseSeal(b []byte, k key) (e seal, ok bool, err error) {
	area := b[sealAt : sealAt+sealSize]
	sum := le.Uint32(area[20:])
	if sum == 0 {
		return seal{}, false, nil
	}
	e = seal{end: int64(le.Uint64(area)), count: le.Uint64(area[8:])}
	if sum != crc32.Update(k.seed, castagnoli, area[:20]) || e.end < dataAt || e.end%8 != 0 {
		return seal{}, false, errSeal
	}
	return e, true, nil
}

// key makes the records of one segment its own: no other segment's records carry its mark and checksums.
type key struct {
	seed uint32 // where every checksum begins
	mark uint32 // upper bits of every length word, never zero
}

func newKey(h header) key {
	var b [16]byte
	le.PutUint64(b[:], h.salt)
	le.PutUint64(b[8:], h.number)
	k := key{seed: crc32.Checksum(b[:], castagnoli), mark: uint32(h.salt>>(32+lengthBits)) << lengthBits}
	if k.mark == 0 {
		k.mark = 1 << lengthBits
	}
	return k
}

// recordSize is how many bytes a payload of n bytes takes in the file.
func recordSize(n int) int64 { return recordHead + (int64(n)+7)&^7 }

// put writes the record and the end mark behind it to b, which is recordSize+endMark long. The length comes last: a
// process killed in between leaves the zero word that was there, and so no record.
func (k key) put(b, payload []byte) {
	n := uint32(len(payload))
	le.PutUint64(b[len(b)-endMark:], 0)
	if n%8 != 0 {
		le.PutUint64(b[len(b)-2*endMark:], 0) // the filling, before the payload's last bytes cover part of it
	}
	copy(b[recordHead:], payload)
	le.PutUint32(b[4:], crc32.Update(k.seed^n, castagnoli, payload))
	le.PutUint32(b, k.mark|n)
}

// record returns the sound record at the beginning of b, or nil. The result points into b.
func (k key) record(b []byte) []byte {
	if len(b) < recordHead {
		return nil
	}
	word := le.Uint32(b)
	n := word & (1<<lengthBits - 1)
	if word^n != k.mark || n == 0 || n > maxRecord || recordSize(int(n)) > int64(len(b)) {
		return nil
	}
	payload := b[recordHead : recordHead+n : recordHead+n]
	if le.Uint32(b[4:]) != crc32.Update(k.seed^n, castagnoli, payload) {
		return nil
	}
	return payload
}
