package sqlitestore

import (
	"errors"
	"fmt"
	"strings"

	"zombiezen.com/go/sqlite"

	"precount/internal/counters"
)

// columns returns the names of a collection's columns in their order, "_id" first, and how many of them, from the
// front, are set once, on insert.
func columns(c counters.Collection) (names []string, identity int) {
	names = append(names, "_id")
	for _, v := range identityOf(c) {
		names = append(names, string(v.Field))
	}
	identity = len(names)
	for _, field := range c.Counters() {
		names = append(names, string(field))
	}
	if c.Kind == counters.Visitors {
		names = append(names, "r")
	}
	return names, identity
}

// identityOf returns a collection's identity fields, with empty values of their types.
func identityOf(c counters.Collection) []counters.Value {
	return counters.Key{Collection: c}.Identity()
}

// createTable returns the statement that makes a collection. WITHOUT ROWID stores a row in the index of its _id: one
// tree instead of two, and a prefix is read in one run. Zeros take one byte each.
func createTable(c counters.Collection) string {
	defs := []string{`"_id" TEXT NOT NULL PRIMARY KEY`}
	for _, v := range identityOf(c) {
		kind := "TEXT"
		if _, isInt := v.V.(int64); isInt {
			kind = "INTEGER"
		}
		defs = append(defs, quote(string(v.Field))+" "+kind+" NOT NULL")
	}
	for _, field := range c.Counters() {
		defs = append(defs, quote(string(field))+" INTEGER NOT NULL DEFAULT 0")
	}
	if c.Kind == counters.Visitors {
		defs = append(defs, fmt.Sprintf(`"r" BLOB NOT NULL DEFAULT (zeroblob(%d))`, counters.Registers))
	}
	return "CREATE TABLE IF NOT EXISTS " + quote(c.Name()) + " (" + strings.Join(defs, ", ") + ") STRICT, WITHOUT ROWID"
}

const createApplied = `CREATE TABLE IF NOT EXISTS "applied"` +
	` ("collector" TEXT NOT NULL PRIMARY KEY, "token" INTEGER NOT NULL) STRICT, WITHOUT ROWID`

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

func quoteAll[S ~string](names []S) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = quote(string(name))
	}
	return strings.Join(quoted, ", ")
}

// refresh forgets tables and statements if another process changed the schema since this connection last looked. It is
// called with the write lock in hand, so that what it finds stays true until the end of the transaction.
func (c *conn) refresh() error {
	version, err := c.int64("PRAGMA schema_version")
	if err == nil && version != c.version {
		c.forget()
		c.version = version
	}
	return err
}

// forget drops what the connection knows about the schema.
func (c *conn) forget() {
	for _, a := range c.adders {
		a.insert.Finalize()
		if a.update != nil {
			a.update.Finalize()
		}
	}
	c.adders = nil
	c.tables = nil
	c.version = -1
}

// ensure makes a collection's table exist.
func (c *conn) ensure(collection counters.Collection) error {
	if c.tables[collection] {
		return nil
	}
	if err := c.exec(createTable(collection)); err != nil {
		return err
	}
	if c.tables == nil {
		c.tables = make(map[counters.Collection]bool)
	}
	c.tables[collection] = true
	return nil
}

// A shape is all that the text of an adder depends on.
type shape struct {
	collection counters.Collection
	fields     fieldSet
}

// An adder is the two statements that add the fields of a shape to a document, or insert it with them. A shape without fields
// has no update, and its insert leaves a document that exists as it is.
type adder struct {
	update *sqlite.Stmt // the _id, then the shape's fields in their order
	insert *sqlite.Stmt // the identity columns, then the fields
}

// maxAdders bounds the statements that a connection keeps. A batch has a few shapes: a kind, a day, a time zone's hour.
const maxAdders = 128

func (c *conn) adder(s shape) (adder, error) {
	if a, ok := c.adders[s]; ok {
		return a, nil
	}
	if len(c.adders) >= maxAdders {
		c.forget()
	}
	update, insert := adderTexts(s)
	var a adder
	var err error
	if a.insert, _, err = c.PrepareTransient(insert); err != nil {
		return adder{}, err
	}
	if update != "" {
		if a.update, _, err = c.PrepareTransient(update); err != nil {
			return adder{}, errors.Join(err, a.insert.Finalize())
		}
	}
	if c.adders == nil {
		c.adders = make(map[shape]adder)
	}
	c.adders[s] = a
	return a, nil
}

// adderTexts returns the statements of an adder. The insert of a shape with fields fails if the document exists: the update
// has looked for it in the same transaction.
func adderTexts(s shape) (update, insert string) {
	names, identity := columns(s.collection)
	used := names[:identity:identity]
	var changes []string
	for i, name := range names[identity:] {
		if s.fields.has(i) {
			used = append(used, name)
			changes = append(changes, fmt.Sprintf("%[1]s = %[1]s + ?%[2]d", quote(name), 2+len(changes)))
		}
	}
	table := quote(s.collection.Name())
	insert = fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", table, quoteAll(used), strings.Repeat(", ?", len(used))[2:])
	if len(changes) == 0 {
		return "", insert + ` ON CONFLICT ("_id") DO NOTHING`
	}
	return fmt.Sprintf(`UPDATE %s SET %s WHERE "_id" = ?1`, table, strings.Join(changes, ", ")), insert
}
