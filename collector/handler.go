package collector

import (
	"errors"

	"github.com/valyala/fasthttp"

	"precount/internal/journal"
	"precount/pixel"
)

// Pixel answers GET and HEAD /pixel.gif; a HEAD counts nothing. Every answer carries the GIF.
func (c *Collector) Pixel(ctx *fasthttp.RequestCtx) {
	switch {
	case ctx.IsGet():
		v := c.count(ctx)
		pixel.Write(ctx, v.Status(), v.Reason())
		if v.Status() == fasthttp.StatusServiceUnavailable {
			ctx.Response.Header.Set("Retry-After", retryAfter)
		}
	case ctx.IsHead():
		pixel.Write(ctx, fasthttp.StatusOK, "")
	default:
		pixel.Write(ctx, fasthttp.StatusMethodNotAllowed, "")
		ctx.Response.Header.Set("Allow", "GET, HEAD")
	}
}

const retryAfter = "10" // seconds

// count decides what becomes of a hit, and waits for what --ack promises.
func (c *Collector) count(ctx *fasthttp.RequestCtx) Verdict {
	s := c.scratches.Get().(*scratch)
	position, v := c.take(ctx, s)
	c.scratches.Put(s)
	if v != Counted || c.options.Ack != AckSynced {
		return v
	}
	if err := c.journal.WaitSynced(position); err != nil { // it is journaled, but that was not promised
		c.syncing.failed(err)
		return JournalFull
	}
	c.syncing.worked()
	return Counted
}

// take is the way of a hit until it stands in the journal. It does not allocate.
func (c *Collector) take(ctx *fasthttp.RequestCtx, s *scratch) (position journal.Position, v Verdict) {
	c.sheet.mu.RLock()
	defer c.sheet.mu.RUnlock()
	c.sheet.received.Add(1)
	defer func() {
		if v != Counted {
			c.sheet.verdicts[v].Add(1)
		}
	}()
	if c.stopping.Load() {
		return position, Stopping
	}
	header := &ctx.Request.Header
	_, rawQuery := cut(header.RequestURI(), '?')
	h, v := s.parse(rawQuery, header.Referer(), c.options.Sites())
	if v != Counted {
		return position, v
	}
	if v := c.wish(h, header); v != Counted {
		return position, v
	}
	local := h.site.Local(c.arrival(ctx))
	if c.options.Months.Expired(local.Month) {
		return position, Expired
	}
	path, depth := c.cardinality.admit(h.site.Base, local.Month, h.path)
	s.record = appendRecord(s.record[:0], h.site, local, depth, path)
	return c.append(s.record)
}

// wish returns whether the visitor's browser asks not to be counted: it only fetches ahead what may never be seen (Fetch
// Metadata, Sec-Purpose), or the visitor opted out (DNT; Global Privacy Control) and the site honours that.
func (c *Collector) wish(h hit, header *fasthttp.RequestHeader) Verdict {
	purpose, _ := cut(header.PeekCanonical(secPurpose), ';')
	if string(purpose) == "prefetch" {
		return IgnoredPrefetch
	}
	if h.site.DNT && (string(header.PeekCanonical(dnt)) == "1" || string(header.PeekCanonical(secGPC)) == "1") {
		return IgnoredOptOut
	}
	return Counted
}

var (
	secPurpose = []byte("Sec-Purpose")
	secGPC     = []byte("Sec-Gpc")
	dnt        = []byte("Dnt")
)

func (c *Collector) append(record []byte) (journal.Position, Verdict) {
	position, err := c.journal.Append(record)
	switch {
	case err == nil:
		c.appending.worked()
		return position, Counted
	case errors.Is(err, journal.ErrClosed):
		return position, Stopping
	}
	c.appending.failed(err)
	return position, JournalFull
}
