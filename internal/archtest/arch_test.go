package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	root   = "../.."
	module = "precount/"
)

// allowed lists, for each package, which of ours its non-test files may import.
var allowed = map[string][]string{
	"pixel":                {},
	"internal/counters":    {},
	"internal/archtest":    {},
	"internal/testenv":     {},
	"internal/browsertest": {"internal/testenv"},
	"internal/journal":     {},
	"internal/wholefile":   {},
	"internal/sites":       {"internal/counters", "internal/wholefile"},
	"internal/lease":       {"internal/counters"},
	"internal/jobs":        {"internal/counters", "internal/lease"},
	"internal/horizon":     {"internal/counters"},
	"internal/sqlitestore": {"internal/counters"},
	"internal/mongostore":  {"internal/counters"},
	"internal/mongotest":   {"internal/testenv"},
	"internal/storetest":   {"internal/counters"},
	"collector":            {"internal/counters", "internal/journal", "internal/sites", "pixel"},
	"reporter":             {"internal/counters", "internal/sites", "pixel", "reporter/retention"},
	"reporter/retention":   {"internal/counters", "internal/horizon", "internal/jobs", "internal/lease", "internal/sites"},
	"preallocator":         {"internal/counters", "internal/jobs", "internal/lease", "internal/sites"},
	"cmd/precount": {"collector", "reporter", "preallocator", "pixel", "internal/counters", "internal/horizon", "internal/journal", "internal/jobs", "internal/lease",
		"internal/mongostore", "internal/sites", "internal/sqlitestore", "internal/wholefile", "reporter/retention"},
	"bench": {"collector", "reporter", "preallocator", "pixel", "internal/counters", "internal/journal", "internal/mongostore",
		"internal/sites", "internal/sqlitestore", "reporter/retention"},
}

// drivers may be imported by these packages only, and by tests.
var drivers = map[string][]string{
	"go.mongodb.org/mongo-driver": {"internal/mongostore", "internal/mongotest"},
	"zombiezen.com/go/sqlite":     {"internal/sqlitestore"},
	"modernc.org/sqlite":          {"internal/sqlitestore"},
}

// A source is one Go file of ours.
type source struct {
	dir, path string // relative to the root, with slashes
	test      bool
	file      *ast.File
	lines     int
	set       *token.FileSet
}

func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && path != root && (strings.HasPrefix(name, ".") || name == "node_modules" || name == "testdata") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, path)
		all = append(all, source{filepath.ToSlash(filepath.Dir(relative)), filepath.ToSlash(relative),
			strings.HasSuffix(name, "_test.go"), file, set.File(file.FileStart).LineCount(), set})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 10 {
		t.Fatalf("only %d Go files found below %s", len(all), root)
	}
	return all
}

func TestImportsPointDown(t *testing.T) {
	for _, s := range sources(t) {
		may, known := allowed[s.dir]
		if !known {
			t.Errorf("%s: package %s is not in archtest's map; say what it may import", s.path, s.dir)
		}
		for _, imported := range s.file.Imports {
			name, _ := strconv.Unquote(imported.Path.Value)
			if ours, ok := strings.CutPrefix(name, module); ok && !s.test && !slices.Contains(may, ours) {
				t.Errorf("%s imports %s; %s may import only %v", s.path, ours, s.dir, may)
			}
			for driver, owners := range drivers {
				if strings.HasPrefix(name, driver) && !slices.Contains(owners, s.dir) && !s.test {
					t.Errorf("%s imports %s; only %v may", s.path, name, owners)
				}
			}
		}
	}
}

func TestEveryPackageHasADoc(t *testing.T) {
	docs := map[string]string{}
	for _, s := range sources(t) {
		docs[s.dir] += "" // known, even if none of its files has a comment
		if filepath.Base(s.path) == "doc.go" && s.file.Doc != nil {
			docs[s.dir] = s.file.Doc.Text()
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(docs)) {
		if len(strings.Split(docs[dir], "\n")) < 5 {
			t.Errorf("%s: its doc.go is missing, or has no picture", dir)
		}
	}
}

// The sizes of STYLE.md: a file over 400 lines wants a reason, a function over 80 is a split, nearly all are within 40.
const (
	maxFile     = 400
	maxTestFile = 500
	maxFunction = 80
	longish     = 40
)

func TestSizes(t *testing.T) {
	functions, long := 0, []string{}
	for _, s := range sources(t) {
		limit := maxFile
		if s.test {
			limit = maxTestFile
		}
		if s.lines > limit {
			t.Errorf("%s has %d lines, at most %d", s.path, s.lines, limit)
		}
		for _, declaration := range s.file.Decls {
			f, ok := declaration.(*ast.FuncDecl)
			if !ok {
				continue
			}
			lines := s.set.Position(f.End()).Line - s.set.Position(f.Pos()).Line + 1
			if lines > maxFunction {
				t.Errorf("%s: %s has %d lines, at most %d", s.path, f.Name, lines, maxFunction)
			}
			if s.test {
				continue
			}
			functions++
			if lines > longish {
				long = append(long, s.path+": "+f.Name.Name)
			}
		}
	}
	if len(long)*20 > functions {
		t.Errorf("%d of %d functions have more than %d lines, at most one in 20:\n%s", len(long), functions, longish, strings.Join(long, "\n"))
	}
}
