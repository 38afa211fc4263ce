// Package sites knows which sites are counted and how: their names, aliases, time zones and settings.
//
//	"WWW.MongoDB.org:443" ──Canonical──> "mongodb.org" ──Base──> "org.mongodb"
//	                                          │
//	store: sites {_id: "mongodb.org", …} ──Registry.Refresh──> Directory ──ByHost, ByBase──> *Site ──Local(now)──> month, day, hour
//
// A Directory never changes; the Registry swaps in a new one when the stored records changed, so that a look-up on the
// way of a hit takes no lock. The registry holds at most MaxSites sites.
package sites
