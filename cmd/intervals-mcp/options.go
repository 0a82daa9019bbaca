package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/secrets"
)

// options are flags and environment of serve and stdio, checked.
type options struct {
	addr         string
	anyInterface bool
	readyFile    string
	dataDir      string // "" keeps everything in memory
	demo         bool
	demoWhy      string // said once, when the demo was not asked for
	toolset      identity.Toolset
	scope        identity.Scope
	confirm      identity.Confirm
	now          func() time.Time
	apiKey       secrets.Secret
	athlete      string
	baseURL      string
	legacyOnly   bool
	log          *slog.Logger
}

// flags is a flag set that reports one line and no usage.
func flags(command string) *flag.FlagSet {
	fs := flag.NewFlagSet(command, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	return fs
}

func parse(fs *flag.FlagSet, args []string) error {
	switch err := fs.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return err
	case err != nil:
		return misuse("%s: %v (--help lists the flags)", fs.Name(), err)
	case fs.NArg() > 0:
		return misuse("%s: unexpected argument %q (--help lists the flags)", fs.Name(), fs.Arg(0))
	}
	return nil
}

// readOptions reads what serve and stdio have in common; extra adds flags.
func readOptions(command string, p process, extra func(*flag.FlagSet, *options)) (options, error) {
	var o options
	var toolset, scope, confirm, now string
	fs := flags(command)
	fs.StringVar(&o.dataDir, "data", "", "")
	fs.BoolVar(&o.demo, "demo", false, "")
	fs.StringVar(&toolset, "toolset", "core", "")
	fs.StringVar(&scope, "scope", "write", "")
	fs.StringVar(&confirm, "confirm", "all", "")
	fs.StringVar(&now, "now", "", "")
	if extra != nil {
		extra(fs, &o)
	}
	if err := parse(fs, p.args); err != nil {
		return o, err
	}
	switch toolset {
	case "core", "full":
		o.toolset = identity.Toolset(toolset)
	default:
		return o, misuse("--toolset must be core or full, not %q", toolset)
	}
	switch scope {
	case "read", "write":
		o.scope = identity.Scope(scope)
	default:
		return o, misuse("--scope must be read or write, not %q", scope)
	}
	switch o.confirm = identity.Confirm(confirm); o.confirm {
	case identity.ConfirmAll, identity.ConfirmDestructive, identity.ConfirmNever:
	case identity.ConfirmPerson:
		if command == "stdio" { // safety.md 2
			return o, misuse("--confirm person wants a page on which you approve each change, and stdio has none: use serve, or --confirm all")
		}
	default:
		return o, misuse("--confirm must be all, destructive, never or person, not %q", confirm)
	}
	var err error
	if o.log, err = logger(p); err != nil {
		return o, err
	}
	if err := o.readEnvironment(p.getenv); err != nil {
		return o, err
	}
	if o.now, err = clock(now); err != nil {
		return o, err
	}
	if now != "" && !o.demo && !intervals.Loopback(o.baseURL) {
		return o, misuse("--now is for tests: it works with --demo or with INTERVALS_API_BASE_URL on this machine")
	}
	return o, o.findData()
}

var athleteID = regexp.MustCompile(`^i?[0-9]+$`)

func (o *options) readEnvironment(getenv func(string) string) error {
	key := strings.TrimSpace(getenv("API_KEY"))
	o.athlete = strings.TrimSpace(getenv("ATHLETE_ID"))
	o.baseURL = strings.TrimSpace(getenv("INTERVALS_API_BASE_URL"))
	o.legacyOnly = getenv("MCP_LEGACY_ONLY") == "true"
	if o.athlete != "" && !athleteID.MatchString(o.athlete) {
		return misuse("ATHLETE_ID must be all digits (e.g. 123456) or start with 'i' followed by digits (e.g. i123456)")
	}
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return misuse("API_KEY holds characters that no Intervals.icu key has; copy it again from Settings, Developer settings")
	}
	if key == "" && !o.demo {
		o.demo, o.demoWhy = true, "API_KEY is not set, so the demo athlete answers."
	}
	if o.demo {
		return nil
	}
	o.apiKey = secrets.New(key)
	if _, err := intervals.New(intervals.Options{BaseURL: o.baseURL}); err != nil {
		return misuse("INTERVALS_API_BASE_URL: %v", err)
	}
	return nil
}

// clock gives the clock that --now sets.
func clock(now string) (func() time.Time, error) {
	if now == "" {
		return time.Now, nil
	}
	t, err := time.Parse(time.RFC3339, now)
	if err != nil {
		return nil, misuse("--now must be a time such as 2026-07-15T12:30:00Z (RFC 3339), not %q", now)
	}
	return func() time.Time { return t }, nil
}

// logger writes JSON lines to stderr.
func logger(p process) (*slog.Logger, error) {
	level := slog.LevelInfo
	switch v := strings.ToLower(strings.TrimSpace(p.getenv("LOG_LEVEL"))); v {
	case "", "info":
	case "debug":
		level = slog.LevelDebug
	case "warn", "warning":
		level = slog.LevelWarn
	case "error", "critical", "fatal":
		level = slog.LevelError
	default:
		return nil, misuse("LOG_LEVEL must be debug, info, warn or error, not %q", v)
	}
	return slog.New(slog.NewJSONHandler(p.stderr, &slog.HandlerOptions{Level: level})), nil
}

// findData settles the data folder and checks that it can be used. The demo
// without --data has none.
func (o *options) findData() error {
	if o.dataDir == "" {
		if o.demo {
			return nil
		}
		dir, err := userDataDir()
		if err != nil {
			return misuse("the data folder of this user is unknown (%v); name one with --data", err)
		}
		o.dataDir = filepath.Join(dir, "intervals-mcp")
	}
	if abs, err := filepath.Abs(o.dataDir); err == nil {
		o.dataDir = abs
	}
	if err := os.MkdirAll(o.dataDir, 0o700); err != nil {
		return misuse("the data folder cannot be made: %v", err)
	}
	probe, err := os.CreateTemp(o.dataDir, ".probe-*")
	if err != nil {
		return misuse("the data folder cannot be written: %v", err)
	}
	if err := errors.Join(probe.Close(), os.Remove(probe.Name())); err != nil {
		return misuse("the data folder cannot be written: %v", err)
	}
	if _, err := os.ReadDir(o.dataDir); err != nil {
		return misuse("the data folder cannot be read: %v", err)
	}
	return nil
}

// userDataDir is where programs keep a user's data.
func userDataDir() (string, error) {
	switch runtime.GOOS {
	case "windows", "darwin", "ios":
		return os.UserConfigDir() // AppData, Application Support
	}
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return dir, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, ".local", "share"), nil
}

// identity is the built-in identity of a laptop.
func (o *options) identity(connection string) identity.Identity {
	id := identity.Identity{User: identity.Local, Athlete: o.athlete, Connection: connection, Client: connection,
		Scopes: []identity.Scope{identity.ScopeRead}, Toolset: o.toolset, Confirm: o.confirm, Local: true}
	if id.Athlete == "" || o.demo { // an id from outside means nothing in the demo
		id.Athlete = "0"
	}
	if o.scope == identity.ScopeWrite {
		id.Scopes = append(id.Scopes, identity.ScopeWrite)
	}
	return id
}

// listen opens the address. An empty host is this machine, and any other than
// this machine needs leave.
func listen(addr string, anyInterface bool, flagName string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, misuse("--addr must be HOST:PORT, not %q", addr)
	}
	if host == "" && !anyInterface {
		host = "127.0.0.1"
	}
	ip := net.ParseIP(host)
	if local := strings.EqualFold(host, "localhost") || (ip != nil && ip.IsLoopback()); !local && !anyInterface {
		return nil, misuse("--addr %s is open to other machines, which would reach your data over plain HTTP; use 127.0.0.1 or add %s", addr, flagName)
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, misuse("cannot listen on %s: %v; --addr takes another address", addr, lastError(err))
	}
	return l, nil
}

// lastError drops what a network error repeats.
func lastError(err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Err
	}
	return err
}

// localURL is how this machine reaches a listener.
func localURL(l net.Listener) string {
	a, ok := l.Addr().(*net.TCPAddr)
	if !ok {
		return fmt.Sprintf("http://%s", l.Addr())
	}
	host := a.IP.String()
	if a.IP.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, fmt.Sprint(a.Port))
}
