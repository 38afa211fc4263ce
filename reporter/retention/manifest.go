package retention

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"precount/internal/counters"
)

// manifestFormat is raised when files of this format can no longer be read by an older program.
const (
	manifestFormat = 1
	manifestName   = "manifest.json"
	fileEnd        = ".jsonl.zst"
	maxManifest    = 64 << 10
)

// A Manifest says what an archive of one month holds.
type Manifest struct {
	Format      int         `json:"format"`
	Month       string      `json:"month"`   // "2025-10"
	Engine      string      `json:"engine"`  // it was read from: "sqlite", "mongodb"
	Version     string      `json:"version"` // of the program that wrote it
	Created     time.Time   `json:"created"`
	Collections []FileEntry `json:"collections"`
	Seal        string      `json:"seal"` // SHA-256 of the manifest with an empty seal
}

// A FileEntry is one collection of an archive.
type FileEntry struct {
	Collection string `json:"collection"` // "sites-oct"
	File       string `json:"file"`       // "sites-oct.jsonl.zst"
	Documents  int64  `json:"documents"`
	Total      int64  `json:"total"` // sum of the documents' totals
	Bytes      int64  `json:"bytes"` // of the file, compressed
	Lines      int64  `json:"json_bytes"`
	SHA256     string `json:"sha256"` // of the file
}

func (e FileEntry) collection(m counters.Month) (counters.Collection, bool) {
	c, ok := counters.ParseCollection(m.Database(), e.Collection)
	return c, ok && c.Month == m
}

// encode returns the manifest's bytes, sealed.
func (m Manifest) encode() ([]byte, error) {
	m.Seal = ""
	open, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(open)
	m.Seal = hex.EncodeToString(sum[:])
	sealed, err := json.MarshalIndent(m, "", "  ")
	return append(sealed, '\n'), err
}

// parseManifest reads what encode wrote, to the byte: a manifest that somebody changed, however little, is refused.
func parseManifest(data []byte) (m Manifest, month counters.Month, err error) {
	if err := json.Unmarshal(data, &m); err != nil {
		return m, month, fmt.Errorf("it is not JSON: %w", err)
	}
	if m.Format != manifestFormat {
		return m, month, fmt.Errorf("its format is %d, this program reads %d", m.Format, manifestFormat)
	}
	if month, err = counters.ParseMonth(m.Month); err != nil {
		return m, month, err
	}
	again, err := m.encode()
	if err != nil || !bytes.Equal(again, data) {
		return m, month, errors.New("its seal is broken: somebody changed it after it was written")
	}
	seen := map[counters.Collection]bool{}
	for _, e := range m.Collections {
		c, ok := e.collection(month)
		if !ok || seen[c] || e.File != e.Collection+fileEnd {
			return m, month, fmt.Errorf("%q in %q is not a collection of %s, or there twice", e.Collection, e.File, month)
		}
		seen[c] = true
	}
	return m, month, nil
}

// readManifest reads the manifest of the archive in dir.
func readManifest(dir string) (Manifest, counters.Month, error) {
	path := filepath.Join(dir, manifestName)
	info, err := os.Stat(path)
	if err == nil && info.Size() > maxManifest {
		err = fmt.Errorf("it has %d bytes, at most %d", info.Size(), maxManifest)
	}
	var data []byte
	if err == nil {
		data, err = os.ReadFile(path)
	}
	if err != nil {
		return Manifest{}, counters.Month{}, fmt.Errorf("%s: cannot read the manifest: %w", path, cause(err))
	}
	m, month, err := parseManifest(data)
	if err != nil {
		return m, month, fmt.Errorf("%s: the manifest is damaged: %w; take the archive from another copy", path, err)
	}
	return m, month, nil
}

// sums returns how many documents there are, and how many views they count: by the hours, which reports show too.
func (m Manifest) sums() (documents, views int64) {
	for _, e := range m.Collections {
		documents += e.Documents
		if c, ok := counters.ParseCollection("stats-0001", e.Collection); ok && c.Kind == counters.Hours {
			views += e.Total
		}
	}
	return documents, views
}

// cause returns the system's error without the path, which our text names already.
func cause(err error) error {
	var pathErr *os.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	var linkErr *os.LinkError
	if errors.As(err, &linkErr) {
		return linkErr.Err
	}
	return err
}
