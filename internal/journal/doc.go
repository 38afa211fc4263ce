// Package journal keeps records on disk until they are safe elsewhere: bytes in, the same bytes out after a crash. It
// knows nothing of hits.
//
//	Append ──copy──> open segment ──Seal──> waiting segments ──Oldest, Each──> reader
//	                    │    ^                                                   │
//	     every SyncEvery│    │ the prepared spare                       Release  │ damaged: kept in damaged/
//	      or WaitSynced v    └──────── pool of recycled files <──────────────────┘
//	                 fdatasync
//
// A segment is a preallocated file, mapped into memory, so Append is a copy under a mutex: what stands in the mapping
// survives the death of the process, because the kernel owns the pages. Two goroutines, started by Open and ended by
// Close, do what takes time: one syncs, one prepares the next segment.
//
// # Directory
//
//	id                      the collector's random name, written once
//	lock                    held with flock by the living process
//	0000000000000017.seg    a segment; its number in 16 hexadecimal digits
//	0000000000000016.free   holds nothing; says only that numbers up to this one were given out
//	damaged/                segments and strange files that were put aside, the newest 64
//
// A segment's number is its token: strictly increasing, never given out twice. The file with the highest number is not
// removed before a higher one is on disk, so numbers survive a crash at any instant.
//
// # Segment
//
// All integers are little-endian; checksums are CRC-32C (Castagnoli).
//
//	offset
//	   0  magic "pcsegmnt"
//	   8  version           u32   1
//	  12  zero              u32
//	  16  number            u64   1 or more, as in the file's name
//	  24  previous          u64   number of the segment before it in the sequence; 0 for the first
//	  32  salt              u64   random
//	  40  id                16    the collector's id, so that a foreign segment is not taken for our own
//	  56  zero              u32
//	  60  checksum          u32   of 0..60
//	  64  end               u64   offset behind the last record    ┐ zero until
//	  72  records           u64   how many there are               │ the segment
//	  80  zero              u32                                    │ is sealed
//	  84  checksum          u32   of 64..84, seeded; 0: not sealed ┘
//	  88  zero              40
//	 128  records, each at a multiple of 8:
//	      0  length | mark  u32   lower 17 bits: 1 … 65,536; upper 15: never zero, drawn from the salt
//	      4  checksum       u32   of the payload, seeded
//	      8  payload, filled up with zeros to a multiple of 8
//	      a zero word instead of a length: the end
//
// A recycled file still holds the records of its former life behind that end. Mark and seed come from salt and number,
// so neither an old record nor one forged inside a payload passes for a record of this segment.
//
// # Damage
//
// A segment that was not sealed ends at its first bad record. If nothing sound follows, this is the torn tail of a
// record that was never acknowledged, and is cut off. If a sound record follows, or a seal promised other records than
// are found, the segment is damaged: every sound record is still delivered, the damage is reported once as a
// [CorruptionError], and Release puts the file aside instead of recycling it.
package journal
