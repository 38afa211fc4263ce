package counters

// A Document is one stored document as a reader sees it, without the bookkeeping in "w".
type Document struct {
	Key       Key
	Total     int64
	Counts    []int64 // day 1 first (28 to 31 values), or hour 0 first (24); nil for Visitors
	Registers []byte  // Visitors only: Registers bytes, register 0 first; a register never set is 0
}

// A Span is a run of days within one month, both ends included: 1 <= From <= To <= Month.Days().
type Span struct {
	Month    Month
	From, To int
}

// A Row is one line of a Top: a document's key, and the sum of its days within the spans asked for. The month in the
// key is that of one of the spans.
type Row struct {
	Key   Key
	Views int64
}

// A TopQuery asks for the documents with the most views.
type TopQuery struct {
	Kind   Kind   // Pages, Sections or Attrs
	Spans  []Span // each month at most once
	Prefix string // of the _id; see IDPrefix
	Limit  int    // rows at most, 0 to 100,000
}

// A Top is the answer: rows by falling Views, then by rising _id; documents without a view are left out.
type Top struct {
	Total int64 // sum over all documents with the prefix, not only those in Rows
	Rows  []Row
}
