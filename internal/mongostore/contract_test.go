package mongostore

import (
	"testing"

	"precount/internal/mongotest"
	"precount/internal/storetest"
)

func TestContract(t *testing.T) {
	server := mongotest.Start(t)
	storetest.Run(t, func(t *testing.T) storetest.Store {
		server.Empty(t)
		return open(t, server.URI)
	})
}

// open opens a store that is closed at the end of the test.
func open(t testing.TB, uri string) *Store {
	t.Helper()
	s, err := Open(ctx, Options{URI: uri})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
