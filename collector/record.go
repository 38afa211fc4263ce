package collector

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"time"

	"precount/internal/counters"
	"precount/internal/sites"
)

// A spot is where a hit counts, all of it decided when the hit came in: in another process with other settings the same
// record still means the same spot.
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

// parseRecord takes a record apart; base and path of the spot stand in the record. There is one record for a spot, not two.
func parseRecord(record string) (spot, error) {
	if len(record) == 0 || record[0] != recordFormat {
		return spot{}, fmt.Errorf("%w: format is not %d", errRecord, recordFormat)
	}
	if len(record) < recordHead {
		return spot{}, fmt.Errorf("%w: %d bytes", errRecord, len(record))
	}
	s := spot{depth: record[1], day: record[2], hour: record[3], month: uint16(record[4]) | uint16(record[5])<<8}
	baseEnd, month := recordHead+int(record[6]), monthOf(s.month)
	if len(record) <= baseEnd || baseEnd == recordHead || record[baseEnd] != '/' || month.Year < 1 ||
		s.day < 1 || int(s.day) > month.Days() || s.hour > 23 || s.depth > counters.MaxDepth {
		return spot{}, fmt.Errorf("%w: a field is out of its range", errRecord)
	}
	s.base, s.path = record[recordHead:baseEnd], record[baseEnd:]
	if strings.ContainsAny(s.base, "|/") {
		return spot{}, fmt.Errorf("%w: base %q", errRecord, s.base)
	}
	return s, nil
}

func monthNumber(m counters.Month) uint16 { return uint16(m.Year*12 + int(m.Month) - 1) }

func monthOf(n uint16) counters.Month {
	return counters.Month{Year: int(n / 12), Month: time.Month(n%12 + 1)}
}
