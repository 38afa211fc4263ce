package collector

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"precount/internal/counters"
	"precount/internal/sites"
)

// A spot is where a hit counts, all of it decided when the hit came in: in another process with other settings the same
// record still means the same spot. Spots are map keys.
type spot struct {
	month uint16 // year*12 + month-1
	day   uint8  // 1 to 31
	hour  uint8  // 0 to 23
	depth uint8  // of the deepest section that has its own document; what is deeper counts as "/(other)"
	base  string
	path  string
}

// The record of a hit in the journal:
//
//	 0        1       2     3      4-5      6          7…
//	┌────────┬───────┬─────┬──────┬────────┬──────────┬──────┬──────┐
//	│ format │ depth │ day │ hour │ month  │ len(base)│ base │ path │
//	└────────┴───────┴─────┴──────┴────────┴──────────┴──────┴──────┘
//
// The month is little-endian. A format number that this program does not know is an error, so that a journal written by
// a newer one is not half understood.
const (
	recordFormat = 1
	recordHead   = 7
)

var errRecord = errors.New("not the record of a hit")

func appendRecord(dst []byte, site *sites.Site, local sites.Local, depth int, path []byte) []byte {
	dst = append(dst, recordFormat, byte(depth), byte(local.Day), byte(local.Hour))
	dst = binary.LittleEndian.AppendUint16(dst, monthNumber(local.Month))
	dst = append(dst, byte(len(site.Base)))
	dst = append(dst, site.Base...)
	return append(dst, path...)
}

// A recordView is a record taken apart; base and path stand in the record.
type recordView struct {
	month            uint16
	day, hour, depth uint8
	base, path       []byte
}

func parseRecord(b []byte) (recordView, error) {
	if len(b) == 0 || b[0] != recordFormat {
		return recordView{}, fmt.Errorf("%w: format is not %d", errRecord, recordFormat)
	}
	if len(b) < recordHead {
		return recordView{}, fmt.Errorf("%w: %d bytes", errRecord, len(b))
	}
	baseEnd := recordHead + int(b[6])
	r := recordView{month: binary.LittleEndian.Uint16(b[4:]), day: b[2], hour: b[3], depth: b[1]}
	month := monthOf(r.month)
	if len(b) <= baseEnd || baseEnd == recordHead || b[baseEnd] != '/' || month.Year < 1 ||
		r.day < 1 || int(r.day) > month.Days() || r.hour > 23 || r.depth > counters.MaxDepth {
		return recordView{}, fmt.Errorf("%w: a field is out of its range", errRecord)
	}
	r.base, r.path = b[recordHead:baseEnd], b[baseEnd:]
	if bytes.IndexByte(r.base, '|') >= 0 || bytes.IndexByte(r.base, '/') >= 0 {
		return recordView{}, fmt.Errorf("%w: base %q", errRecord, r.base)
	}
	return r, nil
}

func monthNumber(m counters.Month) uint16 { return uint16(m.Year*12 + int(m.Month) - 1) }

func monthOf(n uint16) counters.Month {
	return counters.Month{Year: int(n / 12), Month: time.Month(n%12 + 1)}
}
