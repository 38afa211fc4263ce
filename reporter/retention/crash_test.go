package retention

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"precount/internal/horizon"
	"precount/internal/lease"
	"precount/internal/sqlitestore"
)

// A child is this test's binary, run again: it retains or restores in the directory, and kills itself with SIGKILL at the
// named point. It ends with childReached if it comes to its end.
const (
	childDir   = "RETENTION_TEST_DIR"
	childPoint = "RETENTION_TEST_POINT"
	childDoes  = "RETENTION_TEST_DOES"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		if err := child(dir, os.Getenv(childPoint)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func child(dir, point string) error {
	s, err := sqlitestore.Open(sqlitestore.Options{Dir: filepath.Join(dir, "data")})
	if err != nil {
		return err
	}
	reached := func(at string) {
		fmt.Println(at)
		if at == point {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
	archive := filepath.Join(dir, "archive")
	if os.Getenv(childDoes) == "restore" {
		_, err = Restore(context.Background(), RestoreOptions{Store: s, Owner: fmt.Sprint("child ", os.Getpid()), Now: fixed(noon), reached: reached},
			[]string{filepath.Join(archive, "2025-10")})
	} else {
		o := options(s, archive)
		o.Owner, o.NoArchive = fmt.Sprint("child ", os.Getpid()), os.Getenv(childDoes) == "no archive"
		if o.NoArchive {
			o.Archive = ""
		}
		var r *Retention
		if r, err = New(o); err == nil {
			r.reached = reached
			_, err = r.Run(context.Background())
		}
	}
	return errors.Join(err, s.Close())
}

func fixed(t time.Time) func() time.Time { return func() time.Time { return t } }

// spawn runs a child and returns the points it reached; killed says whether it ended by SIGKILL.
func spawn(t *testing.T, dir, does, point string) (points []string, killed bool) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childDir+"="+dir, childPoint+"="+point, childDoes+"="+does)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	status, _ := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if killed = status.Signaled() && status.Signal() == syscall.SIGKILL; err != nil && !killed {
		t.Fatalf("%s, %q: %v: %s", does, point, err, errs.String())
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n"), killed
}

// TestKilledAfterEveryStep ends a retention with SIGKILL at every point it has. The next process finishes it, the archive holds
// every document, the rollups every view.
func TestKilledAfterEveryStep(t *testing.T) {
	for _, does := range []string{"archive", "no archive"} {
		template, want, rollup := crashTemplate(t)
		probe := copyDir(t, template)
		points, _ := spawn(t, probe, does, "")
		if least := map[string]int{"archive": 20, "no archive": 19}[does]; len(points) < least {
			t.Fatalf("only %d points: %v", len(points), points)
		}
		for _, point := range points {
			t.Run(does+", "+point, func(t *testing.T) {
				t.Parallel()
				dir := copyDir(t, template)
				if _, killed := spawn(t, dir, does, point); !killed {
					t.Fatal("it was not killed")
				}
				s := open(t, filepath.Join(dir, "data"))
				nothingUnproven(t, s, dir, does, want)
				finish(t, s, dir, does)
				if len(export(t, s)) != 0 {
					t.Error("collections are left")
				}
				if got, _ := rollupOf(t, s, base, oct25); fmt.Sprint(got) != fmt.Sprint(rollup) {
					t.Errorf("rollup is %v, want %v", got, rollup)
				}
				if names := files(t, filepath.Join(dir, "data")); strings.Contains(strings.Join(names, " "), "stats-2025") {
					t.Errorf("the year is left: %v", names)
				}
				if does == "archive" {
					must(t, restore(t, s, filepath.Join(dir, "archive", "2025-10")))
					same(t, "restored", export(t, s), want)
				}
			})
		}
	}
}

func crashTemplate(t *testing.T) (dir string, want map[string]string, rollup Rollup) {
	t.Helper()
	dir = t.TempDir()
	s := open(t, filepath.Join(dir, "data"))
	must(t, os.Mkdir(filepath.Join(dir, "archive"), 0o700))
	apply(t, s, month(oct25, 20))
	want = export(t, s)
	all, err := rollups(t.Context(), s, oct25)
	must(t, err)
	for _, r := range all {
		if r.Base == base {
			rollup = r
		}
	}
	must(t, s.Close())
	return dir, want, rollup
}

func copyDir(t *testing.T, from string) string {
	t.Helper()
	to := t.TempDir()
	must(t, os.CopyFS(filepath.Join(to, "x"), os.DirFS(from)))
	return filepath.Join(to, "x")
}

// nothingUnproven fails the test if a document is neither in the store nor in an archive that has its name.
func nothingUnproven(t *testing.T, s *sqlitestore.Store, dir, does string, want map[string]string) {
	t.Helper()
	have := export(t, s)
	archive := filepath.Join(dir, "archive", "2025-10")
	proven := false
	if _, err := os.Stat(archive); err == nil {
		_, err := verify(t.Context(), s, archive, nil)
		must(t, err)
		proven = true
	}
	for name := range want {
		if have[name] != want[name] && (have[name] != "" || !proven && does == "archive") {
			t.Errorf("%s is dropped or changed, and no archive is proven", name)
		}
	}
}

// finish is the next process, once while the dead one's lease still holds, and once when it has run out.
func finish(t *testing.T, s *sqlitestore.Store, dir, does string) {
	t.Helper()
	o := options(s, filepath.Join(dir, "archive"))
	if o.Owner = "next"; does == "no archive" {
		o.Archive, o.NoArchive = "", true
	}
	_, err := retention(t, o).Run(t.Context())
	if err != nil && !errors.Is(err, lease.ErrHeld) {
		t.Fatalf("while the lease holds: %v", err)
	}
	o.Now = fixed(noon.Add(2 * lease.DefaultTTL))
	if _, err := retention(t, o).Run(t.Context()); err != nil {
		t.Fatalf("the next run: %v", err)
	}
}

// TestRestoreKilledAtEveryPoint: a restore that died is finished by the next one, and until then retention keeps away.
func TestRestoreKilledAtEveryPoint(t *testing.T) {
	template, want, _ := crashTemplate(t)
	spawn(t, template, "archive", "")
	points, _ := spawn(t, copyDir(t, template), "restore", "")
	if len(points) < 8 {
		t.Fatalf("only %d points: %v", len(points), points)
	}
	for _, point := range points {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			dir := copyDir(t, template)
			if _, killed := spawn(t, dir, "restore", point); !killed {
				t.Fatal("it was not killed")
			}
			s := open(t, filepath.Join(dir, "data"))
			o := options(s, filepath.Join(dir, "archive"))
			o.Now = fixed(noon.Add(2 * lease.DefaultTTL))
			_, err := retention(t, o).Run(t.Context())
			if len(export(t, s)) > 0 {
				fails(t, err, "precount restore", "2025-10")
			}
			_, err = Restore(t.Context(), RestoreOptions{Store: s, Owner: "next", Now: o.Now}, []string{filepath.Join(dir, "archive", "2025-10")})
			must(t, err)
			same(t, "restored", export(t, s), want)
			h := horizon.New(s)
			must(t, h.Refresh(t.Context()))
			if _, ok := rollupOf(t, s, base, oct25); ok || h.Expired(oct25) {
				t.Error("the restored month still counts as put away")
			}
		})
	}
}

// TestTwoAtOnce: of two retentions one works, the other says that it does.
func TestTwoAtOnce(t *testing.T) {
	s, archive := open(t, t.TempDir()), t.TempDir()
	apply(t, s, month(oct25, 5))
	first := retention(t, options(s, archive))
	first.reached = func(point string) {
		if point != "rolled up" {
			return
		}
		o := options(s, archive)
		o.Owner = "second"
		if _, err := retention(t, o).Run(t.Context()); !errors.Is(err, lease.ErrHeld) {
			t.Errorf("the second run: %v", err)
		}
		other := RestoreOptions{Store: s, Owner: "third", Now: fixed(noon)}
		if _, err := Restore(t.Context(), other, []string{filepath.Join(archive, "2025-10")}); !errors.Is(err, lease.ErrHeld) {
			t.Errorf("a restore meanwhile: %v", err)
		}
	}
	_, err := first.Run(t.Context())
	must(t, err)
}
