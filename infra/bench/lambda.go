package main

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	invokes = 300 // warm ones of each function
	asLong  = "Lambda, "
)

// function is one bootstrap under measurement.
type function struct {
	name, pkg string
	env       []string
	event     []byte // a warm invoke; nil = none is measured
	bin       string
	p         *bootstrap // the one that answers warm invokes
	start     sample
	warm      sample
	peak, zip float64 // MB
	init      initTrace
}

// functions are the empty one, ours, and the floor that ours stands on. The
// warm call is a tools/call that asks nobody: its argument has no such name.
func (b *bench) functions(api *runtimeAPI) (empty, mcp, authorizer, floor *function, err error) {
	ev, err := gatewayEvent("get_activities", `{"nonsense":1}`)
	if err != nil {
		return nil, nil, nil, nil, err
	}
	trivial, err := gatewayEvent("tool_07", `{"b":1}`)
	if err != nil {
		return nil, nil, nil, nil, err
	}
	tables := []string{"IDENTITY_TABLE=bench", "AUDIT_TABLE=bench", "STATE_TABLE=bench", "AUDIT_RETENTION_DAYS=365", "SECRET_PREFIX=bench", "METRICS_NAMESPACE=bench",
		"AWS_ENDPOINT_URL_SECRETS_MANAGER=" + api.srv.URL, "AWS_ENDPOINT_URL_DYNAMODB=" + api.srv.URL, "LOG_LEVEL=error"}
	return &function{name: "empty", pkg: "./infra/bench/empty", event: ev},
		&function{name: "mcp", pkg: "./functions/mcp", event: ev, env: tables},
		&function{name: "authorizer", pkg: "./functions/authorizer", env: tables},
		&function{name: "floor", pkg: "./infra/bench/floor", event: trivial}, nil
}

// gatewayEvent is the repository's sample event with another body.
func gatewayEvent(tool, args string) ([]byte, error) {
	raw, err := os.ReadFile("events/tools-list.json")
	if err != nil {
		return nil, err
	}
	var ev map[string]any
	if err := json.Unmarshal(raw, &ev); err != nil {
		return nil, err
	}
	ev["body"] = fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, args)
	return json.Marshal(ev)
}

// measureLambda runs the four in turn, so that all of them see the same
// machine.
func (b *bench) measureLambda() error {
	api := newRuntimeAPI()
	defer api.srv.Close()
	empty, mcp, authorizer, floor, err := b.functions(api)
	if err != nil {
		return err
	}
	all := []*function{empty, mcp, authorizer, floor}
	for _, f := range all {
		if err := f.build(b.dir); err != nil {
			return err
		}
	}
	mode, err := mcp.findMode(api)
	if err != nil {
		return err
	}
	if err := measureStarts(api, all...); err != nil {
		return err
	}
	if err := measureWarm(empty, mcp, floor); err != nil {
		return err
	}
	for _, f := range all {
		if f.init, err = traceInit(api, f); err != nil {
			return err
		}
	}
	b.lambdaRows(empty, mcp, authorizer, floor, mode)
	b.startTable(empty, mcp, authorizer, floor)
	return nil
}

// build makes the release binary and the archive that would be uploaded.
func (f *function) build(dir string) error {
	f.bin = filepath.Join(dir, f.name, "bootstrap")
	if err := goBuild(f.bin, f.pkg, "-tags", "lambda.norpc"); err != nil {
		return err
	}
	packed, err := os.Create(f.bin + ".zip")
	if err != nil {
		return err
	}
	defer packed.Close() //nolint:errcheck // a temporary file, checked below
	z := zip.NewWriter(packed)
	w, err := z.Create("bootstrap")
	if err != nil {
		return err
	}
	in, err := os.Open(f.bin)
	if err != nil {
		return err
	}
	defer in.Close() //nolint:errcheck // it was only read
	if _, err := io.Copy(w, in); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	size, err := packed.Seek(0, io.SeekEnd)
	f.zip = float64(size) / (1 << 20)
	return err
}

// findMode starts the mcp function as deployed, else as under sam local.
func (f *function) findMode(api *runtimeAPI) (string, error) {
	p, _, err := startBootstrap(api, f.bin, f.env)
	if err == nil {
		p.stop()
		return "as deployed", nil
	}
	f.env = append(f.env, "AWS_SAM_LOCAL=true", "API_KEY=bench-key-1")
	p, _, local := startBootstrap(api, f.bin, f.env)
	if local != nil {
		return "", fmt.Errorf("as deployed: %w; under AWS_SAM_LOCAL: %w", err, local)
	}
	p.stop()
	return "under AWS_SAM_LOCAL, stores in memory", nil
}

// measureWarm keeps one process of each function and gives them the same
// number of events in turn.
func measureWarm(all ...*function) (err error) {
	for _, f := range all {
		api := newRuntimeAPI()
		defer api.srv.Close()
		if f.p, _, err = startBootstrap(api, f.bin, f.env); err != nil {
			return err
		}
		defer f.p.stop()
	}
	for i := range invokes + invokes/10 {
		for _, f := range all {
			answer, took, err := f.p.invoke(f.event)
			if err != nil {
				return fmt.Errorf("%s: %w\n%s", f.name, err, f.p.stderr.String())
			}
			if i == 0 {
				var a struct{ StatusCode int }
				if json.Unmarshal(answer, &a) != nil || a.StatusCode != 200 {
					return fmt.Errorf("%s: %.300s", f.name, answer)
				}
			}
			if i >= invokes/10 {
				f.warm = append(f.warm, took)
			}
		}
	}
	for _, f := range all {
		f.peak, _ = memory(f.p.cmd.Process.Pid)
	}
	return nil
}

func (b *bench) lambdaRows(empty, mcp, authorizer, floor *function, mode string) {
	times := func(a, b sample) float64 { return float64(a.p50()) / float64(b.p50()) }
	against := func(f *function, s, e sample) string {
		return fmt.Sprintf("%s, %.2fx the empty bootstrap's %s", ms(s.p50()), times(s, e), ms(e.p50()))
	}
	r := times(mcp.start, empty.start)
	b.add(asLong+"mcp function ("+mode+"): process start to the first request for work", against(mcp, mcp.start, empty.start), "<= 3.5x, aim 3x", r <= 3.5,
		fmt.Sprintf("the floor, bare mcp-go with 55 tools and the adapter: %s, %.2fx", ms(floor.start.p50()), times(floor.start, empty.start)))
	b.explain(fmt.Sprintf("of what it adds, %s are package init of mcp-go's jsonschema, which compiles its meta-schemas whether used or not, and %s that of the AWS SDK",
		ms(mcp.init[initJSONSchema]), ms(mcp.init[initSDK])))
	r = times(mcp.warm, empty.warm)
	b.add(asLong+"mcp function: warm tools/call without upstream", against(mcp, mcp.warm, empty.warm), "<= 1.3x", r <= 1.3,
		fmt.Sprintf("the floor: %s, %.2fx", ms(floor.warm.p50()), times(floor.warm, empty.warm)))
	b.explain(fmt.Sprintf("the floor alone takes most of it: mcp-go reads each message several times and the adapter makes an http.Request of the event; "+
		"the edge's checks, the arguments' check, the log line and the metric line add %s to the floor", ms(mcp.warm.p50()-floor.warm.p50())))
	r = mcp.peak / empty.peak
	b.add(asLong+"mcp function: peak memory", fmt.Sprintf("%.1f MB, %.2fx the empty bootstrap's %.1f MB", mcp.peak, r, empty.peak), "<= 2x", r <= 2,
		fmt.Sprintf("the floor: %.1f MB, %.2fx", floor.peak, floor.peak/empty.peak))
	b.add(asLong+"mcp function: zip", fmt.Sprintf("%.1f MB", mcp.zip), "<= 6 MB", mcp.zip <= 6, "")
	r = times(authorizer.start, empty.start)
	b.add(asLong+"authorizer: process start to the first request for work", against(authorizer, authorizer.start, empty.start), "<= 2x", r <= 2, "")
	b.add(asLong+"authorizer: zip", fmt.Sprintf("%.1f MB", authorizer.zip), "<= 4 MB", authorizer.zip <= 4, "")
}

// initTrace is what the packages of one process cost before main, by group.
type initTrace map[string]time.Duration

// initGroups name the parts of the start by import path; the first that fits
// wins, and what fits none belongs to the standard library.
var initGroups = []struct{ name, prefix string }{
	{"package init: our own", "intervals-mcp/"},
	{initJSONSchema, "github.com/santhosh-tekuri/"},
	{"package init: mcp-go", "github.com/mark3labs/"},
	{initSDK, "github.com/aws/aws-sdk-go-v2/"},
	{initSDK, "github.com/aws/smithy-go"},
	{"package init: Lambda library and adapter", "github.com/aws"},
	{"package init: other modules", "github.com/"},
	{"package init: other modules", "golang.org/"},
}

const (
	initStd        = "package init: standard library"
	initJSONSchema = "package init: jsonschema (of mcp-go)"
	initSDK        = "package init: AWS SDK"
)

// traceInit starts a function some times under GODEBUG=inittrace=1 and gives
// the median of each group.
func traceInit(api *runtimeAPI, f *function) (initTrace, error) {
	groups := map[string]sample{}
	const runs = 9
	for range runs {
		p, _, err := startBootstrap(api, f.bin, append([]string{"GODEBUG=inittrace=1"}, f.env...))
		if err != nil {
			return nil, err
		}
		p.stop()
		for name, d := range readInitTrace(p.stderr.String()) {
			groups[name] = append(groups[name], d)
		}
	}
	out := initTrace{}
	for name, s := range groups {
		out[name] = s.p50()
	}
	return out, nil
}

// readInitTrace sums lines such as
//
//	init encoding/json @0.45 ms, 0.010 ms clock, 1024 bytes, 12 allocs
func readInitTrace(text string) initTrace {
	out := initTrace{}
	for line := range strings.Lines(text) {
		var pkg string
		var at, clock float64
		if n, _ := fmt.Sscanf(line, "init %s @%f ms, %f ms clock", &pkg, &at, &clock); n != 3 {
			continue
		}
		group := initStd
		for _, g := range initGroups {
			if strings.HasPrefix(pkg, g.prefix) {
				group = g.name
				break
			}
		}
		out[group] += time.Duration(clock * float64(time.Millisecond))
	}
	return out
}

func (t initTrace) sum() (d time.Duration) {
	for _, v := range t {
		d += v
	}
	return d
}

// startTable says where the start goes: what the empty bootstrap pays too,
// the packages, and main.
func (b *bench) startTable(empty *function, all ...*function) {
	common := empty.start.p50() - empty.init.sum()
	var t strings.Builder
	line := func(what string, value func(*function) string) {
		t.WriteString("| " + what)
		for _, f := range append([]*function{empty}, all...) {
			t.WriteString(" | " + value(f))
		}
		t.WriteString(" |\n")
	}
	t.WriteString("\n## Where the start of a function goes\n\nPackage init by `GODEBUG=inittrace=1`, medians; main is what is left.\n\n")
	line("", func(f *function) string { return f.name })
	line("---", func(*function) string { return "---" })
	line("exec, Go runtime, Lambda library's loop (what the empty one has)", func(*function) string { return ms(common) })
	names := []string{initStd}
	for _, g := range initGroups {
		if names[len(names)-1] != g.name {
			names = append(names, g.name)
		}
	}
	for _, name := range names {
		line(name, func(f *function) string { return ms(f.init[name]) })
	}
	line("main: clients, server, tools; loading a larger binary", func(f *function) string {
		return ms(max(0, f.start.p50()-f.init.sum()-common))
	})
	line("**start, p50**", func(f *function) string { return "**" + ms(f.start.p50()) + "**" })
	t.WriteString("\n" + mainParts())
	b.more += t.String()
}
