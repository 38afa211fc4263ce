package counters

// The collections of database "precount": what is not bound to a month. In the embedded store each is a table of
// precount.db.
const (
	RecordsDatabase = "precount"

	SitesRecords      = "sites"
	CollectorsRecords = "collectors"
	JobsRecords       = "jobs"
	RollupsRecords    = "rollups"
	AuditRecords      = "audit"
	RetentionRecords  = "retention"
)

// A Record is one document of such a collection. Its revision makes read-change-write safe among many processes: Put
// succeeds only if the stored revision is still Rev.
type Record struct {
	ID   string
	Rev  int64  // 0: does not exist yet; each successful Put stores Rev+1
	Body []byte // a JSON object; neither "_id" nor "rev" are among its fields
}
