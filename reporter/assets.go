package reporter

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/valyala/fasthttp"
)

const assetsPath = "/assets/"

// files holds assets/vendor/echarts.min.js only if the build had it.
//
//go:embed assets
var files embed.FS

// contentTypes are the kinds of files that are served; others in the folder (README.md) are not.
var contentTypes = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".svg": "image/svg+xml",
}

// An asset is a file that never changes at its address, because the address holds its hash.
type asset struct {
	address     string // "/assets/style.0123456789abcdef.css"
	contentType string
	etag        string // weak: the same for body and zipped
	body        []byte
	zipped      []byte
}

// assets never changes after loadAssets.
type assets struct {
	byName    map[string]*asset // "style.css"
	byAddress map[string]*asset
}

// embedded is loaded once for the process: compressing ECharts takes a tenth of a second.
var embedded = sync.OnceValues(func() (*assets, error) { return loadAssets(files) })

func loadAssets(from fs.FS) (*assets, error) {
	a := &assets{make(map[string]*asset), make(map[string]*asset)}
	err := fs.WalkDir(from, "assets", func(name string, entry fs.DirEntry, err error) error {
		kind := contentTypes[path.Ext(name)]
		if err != nil || entry.IsDir() || kind == "" {
			return err
		}
		body, err := fs.ReadFile(from, name)
		if err != nil {
			return err
		}
		one, err := newAsset(name, kind, body)
		if err != nil {
			return err
		}
		a.byName[strings.TrimPrefix(name, "assets/")] = one
		a.byAddress[one.address] = one
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("load the assets of the report pages: %w", err)
	}
	return a, nil
}

func newAsset(name, contentType string, body []byte) (*asset, error) {
	sum := sha256.Sum256(body)
	hash := hex.EncodeToString(sum[:8])
	ext := path.Ext(name)
	var zipped bytes.Buffer
	w, err := gzip.NewWriterLevel(&zipped, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(body); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return &asset{
		address:     assetsPath + strings.TrimSuffix(path.Base(name), ext) + "." + hash + ext,
		contentType: contentType, etag: `W/"` + hash + `"`, body: body, zipped: zipped.Bytes()}, nil
}

// address returns the address of the file called name within assets.
func (a *assets) address(name string) string { return a.byName[name].address }

// Asset returns the address of a file of the reports, style.css or icon.svg, for other pages of the same server.
func (r *Reporter) Asset(name string) string { return r.assets.address(name) }

func (a *assets) serve(ctx *fasthttp.RequestCtx, path string) error {
	one := a.byAddress[path]
	if one == nil {
		return notFound(path)
	}
	h := &ctx.Response.Header
	h.Set(fasthttp.HeaderCacheControl, "public, max-age=31536000, immutable")
	h.Set(fasthttp.HeaderETag, one.etag)
	h.Set(fasthttp.HeaderVary, fasthttp.HeaderAcceptEncoding)
	if string(ctx.Request.Header.Peek(fasthttp.HeaderIfNoneMatch)) == one.etag {
		ctx.SetStatusCode(fasthttp.StatusNotModified)
		return nil
	}
	h.SetContentType(one.contentType)
	if ctx.Request.Header.HasAcceptEncoding("gzip") {
		h.SetContentEncoding("gzip")
		ctx.Response.SetBodyRaw(one.zipped)
		return nil
	}
	ctx.Response.SetBodyRaw(one.body)
	return nil
}
