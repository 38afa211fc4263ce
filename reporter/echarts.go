package reporter

import "github.com/rs/zerolog"

// ECharts draws the charts. package.json pins it, `npm ci` fetches it, `make build` puts it into the binary. A build
// without it loads the very same file, held by its hash, from a CDN. A test holds these constants equal to package.json
// and to the file.
const (
	echartsVersion   = "6.1.0"
	echartsCDN       = "https://cdn.jsdelivr.net/npm/echarts@" + echartsVersion + "/dist/echarts.min.js"
	echartsIntegrity = "sha384-C2iskrW/uPW46KzOjrvJIQo4YkV8lkD+QS0CrDN18IIPIpT/g2USu8bTP3nvmIAD"

	echartsFile = "vendor/echarts.min.js" // within assets
)

// A script is where a page finds ECharts.
type script struct {
	Source    string
	Integrity string // "" for our own file
}

func (a *assets) echarts() script {
	if a.hasECharts() {
		return script{Source: a.address(echartsFile)}
	}
	return script{echartsCDN, echartsIntegrity}
}

func (a *assets) hasECharts() bool { return a.byName[echartsFile] != nil }

func warnIfRemote(a *assets, log zerolog.Logger) {
	if !a.hasECharts() {
		log.Warn().Str("from", echartsCDN).Msg("ECharts is not in this build: browsers load the same version from a public " +
			"CDN; to serve it from here, run `npm ci` and `make build`")
	}
}
