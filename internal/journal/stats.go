package journal

// roomToAccept is what must be free in the open segment for Stats.Accepting when no further segment can be had.
const roomToAccept = 4 << 10

// Stats are taken at one instant: Appended = Released + Lost + Pending always holds. Counts are of records since Open.
type Stats struct {
	Appended  uint64 // taken by Append, and Recovered
	Recovered uint64 // found by Open
	Released  uint64 // delivered and released
	Lost      uint64 // promised by a seal or appended, but not found when the segment was read
	Pending   uint64 // counted in the segments that are here

	Segments int   // files with records to deliver, the open one included
	Bytes    int64 // of all segment files, the spare and those to be recycled included
	Damaged  int   // files in damaged/

	Accepting bool  // whether an append of up to 4 KiB would be taken
	Refusal   error // why no further segment can be had, or nil
}

// Stats returns the books.
func (j *Journal) Stats() Stats {
	j.mu.Lock()
	defer j.mu.Unlock()
	s := Stats{
		Appended:  j.appended,
		Recovered: j.recovered,
		Released:  j.released,
		Lost:      j.lost,
		Segments:  len(j.waiting),
		Bytes:     j.bytes(),
		Damaged:   j.damaged,
		Refusal:   j.refusal,
	}
	for _, w := range j.waiting {
		s.Pending += w.count - w.lost
	}
	if j.open != nil && j.open.count > 0 {
		s.Pending += j.open.count
		s.Segments++
	}
	room := j.refusal == nil || j.spare != nil || j.open != nil && j.open.room() >= recordSize(roomToAccept)
	s.Accepting = room && !j.closing
	return s
}

// bytes is the disk space that counts against the cap. The caller holds mu.
func (j *Journal) bytes() int64 {
	sum := j.building
	for _, s := range j.onDisk() {
		sum += s.size
	}
	return sum
}
