package preallocator

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// A Wish is a page to prepare whatever its views were: the start of a campaign, for example.
type Wish struct {
	Base string // the site's
	Path string // in the spelling in which it is stored
}

// Bounds of a list of wishes.
const (
	maxWishes   = 100_000
	maxWishLine = 8 << 10
)

// ReadWishes reads one address per line, "https://example.org/docs/" or "example.org/docs/"; empty lines and those that
// begin with # are left out. page finds the site and the path of an address, as they would be for a hit.
func ReadWishes(r io.Reader, page func(address string) (Wish, error)) ([]Wish, error) {
	var wishes []Wish
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxWishLine)
	for number := 1; lines.Scan(); number++ {
		address := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\ufeff"))
		if address == "" || address[0] == '#' {
			continue
		}
		if len(wishes) == maxWishes {
			return nil, fmt.Errorf("line %d: more than %d addresses", number, maxWishes)
		}
		if !strings.Contains(address, "://") {
			address = "https://" + address
		}
		wish, err := page(address)
		if err != nil {
			return nil, fmt.Errorf("line %d: %.200q: %w", number, address, err)
		}
		wishes = append(wishes, wish)
	}
	return wishes, lines.Err()
}

// pathsByBase sorts wishes by their sites.
func pathsByBase(wishes []Wish) map[string][]string {
	paths := map[string][]string{}
	for _, w := range wishes {
		paths[w.Base] = append(paths[w.Base], w.Path)
	}
	return paths
}
