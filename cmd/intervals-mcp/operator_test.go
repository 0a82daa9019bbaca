package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"intervals-mcp/internal/embedded"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals/fake"
)

// Keys of testdata/athlete.json.
const (
	riderKey = "k3y-of-the-test-rider"
	coachKey = "k3y-of-the-coach"
)

// desk is where a test's operator sits: a data folder, a fake Intervals.icu and
// all that was ever printed.
type desk struct {
	t     *testing.T
	dir   string
	env   map[string]string
	fake  *fake.Server
	place []string // flags that name the stores

	printed strings.Builder
	tokens  []string // that were shown once
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "athlete.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	data, err := fake.Load(f)
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{t: t, dir: t.TempDir()}
	if d.fake, err = fake.New(data, fake.Options{}); err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(d.fake)
	t.Cleanup(srv.Close)
	d.env = map[string]string{"INTERVALS_API_BASE_URL": srv.URL + "/api/v1"}
	d.place = []string{"--data", d.dir}
	t.Cleanup(d.searchSecrets)
	return d
}

// searchSecrets looks for what must never be printed.
func (d *desk) searchSecrets() {
	all := d.printed.String()
	for _, key := range []string{riderKey, coachKey} {
		if strings.Contains(all, key) {
			d.t.Errorf("a key was printed:\n%s", all)
		}
	}
	for _, token := range d.tokens {
		if n := strings.Count(all, token); n != 1 {
			d.t.Errorf("a token was printed %d times, want once", n)
		}
	}
}

// run runs a command in this process.
func (d *desk) run(stdin string, args ...string) (status int, out, errs string) {
	d.t.Helper()
	var stdout, stderr bytes.Buffer
	status = run(context.Background(), process{append(args, d.place...), func(name string) string { return d.env[name] }, strings.NewReader(stdin), &stdout, &stderr})
	d.printed.WriteString(stdout.String() + stderr.String())
	return status, stdout.String(), stderr.String()
}

// ok runs a command that must succeed and gives its stdout.
func (d *desk) ok(stdin string, args ...string) string {
	d.t.Helper()
	status, out, errs := d.run(stdin, args...)
	if status != 0 {
		d.t.Fatalf("%v: status %d: %s", args, status, errs)
	}
	return out
}

// object runs a command that must print one JSON object.
func (d *desk) object(stdin string, args ...string) map[string]any {
	d.t.Helper()
	var v map[string]any
	out := d.ok(stdin, append(args, "--json")...)
	if err := json.Unmarshal([]byte(out), &v); err != nil {
		d.t.Fatalf("%v printed %q: %v", args, out, err)
	}
	return v
}

// fails runs a command that must end with a status and one line that says this.
func (d *desk) fails(status int, says, stdin string, args ...string) {
	d.t.Helper()
	got, out, errs := d.run(stdin, args...)
	last := errs[strings.LastIndex(strings.TrimSuffix(errs, "\n"), "\n")+1:]
	if got != status || !strings.HasPrefix(last, "intervals-mcp: ") || !strings.Contains(last, says) {
		d.t.Errorf("%v: status %d, %q; want %d and %q", args, got, errs, status, says)
	}
	if out != "" {
		d.t.Errorf("%v: stdout %q", args, out)
	}
}

// token makes a token and gives it.
func (d *desk) token(args ...string) string {
	d.t.Helper()
	out := strings.TrimSuffix(d.ok("", append([]string{"tokens", "create"}, args...)...), "\n")
	if _, err := identity.KindOf(out); err != nil {
		d.t.Fatalf("stdout %q is not one token: %v", out, err)
	}
	d.tokens = append(d.tokens, out)
	return out
}

func TestAKeyIsProvedBeforeItIsStored(t *testing.T) {
	d := newDesk(t)
	d.fails(1, "refused by Intervals.icu", "wr0ng-key\n", "users", "add", "--athlete", "i7001")
	d.fails(1, `the key of athlete "i7002", not of i7001`, coachKey+"\n", "users", "add", "--athlete", "i7001")
	d.fails(2, "missing", "\n", "users", "add", "--athlete", "i7001")
	d.fails(2, "one line", riderKey+"\n"+coachKey+"\n", "users", "add", "--athlete", "i7001")
	if out := d.ok("", "users", "list"); !strings.Contains(out, "Nobody is enrolled") {
		t.Errorf("after refusals: %q", out)
	}
	if out := d.ok(riderKey+"\n", "users", "add", "--athlete", "I7001", "--name", "Me"); !strings.Contains(out, "User i7001 is enrolled") {
		t.Errorf("%q", out)
	}
	u := d.object("", "users", "show", "i7001")
	if u["key"] != "stored" || u["name"] != "Me" || u["coach"] != false {
		t.Errorf("%v", u)
	}
}

func TestACoachsListComesFromTheirKey(t *testing.T) {
	d := newDesk(t)
	u := d.object(coachKey, "users", "add", "--athlete", "i7002", "--coach")
	if got, _ := json.Marshal(u["athletes"]); string(got) != `["i7001"]` || u["coach"] != true {
		t.Errorf("%v", u)
	}
	d.fails(2, "--athletes", "", "tokens", "create", "--user", "i7002", "--days", "30", "--scope", "read", "--athletes", "i9")
	d.token("--user", "i7002", "--days", "30", "--scope", "read", "--athletes", "i7001")
	if out := d.ok("", "tokens", "list"); !strings.Contains(out, "self, i7001") {
		t.Errorf("%s", out)
	}
}

func TestEnrollingAgainReplacesTheKeyAndKeepsTokens(t *testing.T) {
	d := newDesk(t)
	d.ok(riderKey, "users", "add", "--athlete", "i7001", "--name", "Me")
	d.token("--user", "i7001", "--days", "never", "--scope", "write")
	if out := d.ok(riderKey, "users", "add", "--athlete", "i7001"); !strings.Contains(out, "the new key is stored") {
		t.Errorf("%q", out)
	}
	u := d.object("", "users", "show", "i7001")
	tokens, _ := u["tokens"].([]any)
	if u["name"] != "Me" || len(tokens) != 1 {
		t.Errorf("%v", u)
	}
}

func TestServesOwnTokenIsListedWithTheSettingsOfItsStart(t *testing.T) {
	d := newDesk(t)
	file := embedded.New(d.dir)
	_, err := personalToken(t.Context(), d.dir, file.Identity())
	if err := errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
	if out := d.ok("", "tokens", "list"); strings.Count(out, "as started") != 3 || strings.Contains(out, "full") {
		t.Errorf("%s", out)
	}
	d.token("--user", "local", "--days", "30", "--scope", "read", "--toolset", "full", "--confirm", "destructive", "--label", "script")
	if out := d.ok("", "tokens", "list"); strings.Count(out, "as started") != 3 || !strings.Contains(out, "destructive") {
		t.Errorf("%s", out)
	}
}

func TestATokenIsPrintedOnceAloneAndWorksUntilItIsRevoked(t *testing.T) {
	d := newDesk(t)
	d.ok(riderKey, "users", "add", "--athlete", "i7001")
	d.token("--user", "I7001", "--days", "90", "--scope", "read", "--toolset", "full", "--confirm", "destructive", "--label", "Claude")
	v := d.object("", "tokens", "create", "--user", "i7001", "--days", "365", "--scope", "write")
	d.tokens = append(d.tokens, v["token"].(string))
	if v["scope"] != "write" || v["toolset"] != "core" || v["confirm"] != "all" || v["state"] != "active" || v["expires"] == nil {
		t.Errorf("%v", v)
	}
	out := d.ok("", "tokens", "list", "--user", "i7001")
	for _, want := range []string{"TOKEN", "active", "destructive", "full", "Claude"} {
		if !strings.Contains(out, want) {
			t.Errorf("the table lacks %q:\n%s", want, out)
		}
	}
	id, _ := v["id"].(string)
	d.fails(2, "--yes", "y\n", "tokens", "revoke", id)
	for _, unknown := range []string{"i7001-0000000000", "i4-0000000000", "nonsense"} { // nobody is asked about what is not there
		d.fails(1, "there is no token", "y\n", "tokens", "revoke", unknown)
	}
	d.ok("", "tokens", "revoke", id, "--yes")
	if out := d.ok("", "tokens", "list"); !strings.Contains(out, "revoked") || strings.Count(out, "active") != 1 {
		t.Errorf("%s", out)
	}
	if out := d.ok("", "tokens", "revoke", "--all", "--user", "i7001", "--yes"); !strings.Contains(out, "1 token of user i7001") {
		t.Errorf("%q", out)
	}
}

func TestRemovingAUserShowsWhatGoesAndTakesTokensAndKey(t *testing.T) {
	d := newDesk(t)
	d.ok(riderKey, "users", "add", "--athlete", "i7001")
	d.token("--user", "i7001", "--days", "30", "--scope", "write", "--label", "phone")
	status, _, errs := d.run("", "users", "remove", "i7001")
	if status != 2 || !strings.Contains(errs, "phone") || !strings.Contains(errs, "key ") {
		t.Errorf("%d: %s", status, errs)
	}
	d.ok("", "users", "show", "i7001") // still there
	d.ok("", "users", "remove", "i7001", "--yes")
	d.fails(1, "there is no user i7001", "", "users", "show", "i7001")
	b, err := os.ReadFile(filepath.Join(d.dir, "intervals-mcp.db"))
	if err != nil || bytes.Contains(b, []byte(riderKey)) {
		t.Errorf("the key is still in the file (%v)", err)
	}
}

func TestOperatorMisuseIsOneLineAndStatus2(t *testing.T) {
	d := newDesk(t)
	create := []string{"tokens", "create", "--user", "i1", "--days", "30", "--scope", "read"}
	for says, args := range map[string][]string{
		"unknown command \"rename\"": {"users", "rename"},
		"unexpected argument":        {"users", "list", "now"},
		"a user id is missing":       {"users", "show"},
		"is no user id":              {"users", "show", "../x"},
		"--athlete must be":          {"users", "add", "--athlete", "me"},
		"--user U is missing":        {"tokens", "create"},
		"--days must be":             {"tokens", "create", "--user", "i1", "--days", "31"},
		"--scope must be":            {"tokens", "create", "--user", "i1", "--days", "30", "--scope", "admin"},
		"--toolset must be":          append(create, "--toolset", "all"),
		"--confirm must be":          append(create, "--confirm", "sometimes"),
		"--athletes must be":         append(create, "--athletes", "i1,,i2"),
		"--label":                    append(create, "--label", strings.Repeat("x", 101)),
		"add --all":                  {"tokens", "revoke", "--user", "i1"},
		"not the token itself":       {"tokens", "revoke", identity.NewToken(identity.KindPersonal).Reveal()},
		"--day must be":              {"audit", "list", "--day", "today"},
		"--before must be":           {"audit", "list", "--before", "x"},
		"--limit must be":            {"audit", "list", "--limit", "0"},
		"--format must be":           {"audit", "export"},
		"is no change_id":            {"audit", "show", "x"},
		"audit purge: --user":        {"audit", "purge"},
		"undo: a change id":          {"undo"},
		"1 to 30":                    {"users", "invite", "--days", "31"},
		"--url must be":              {"users", "invite", "--url", "http://mcp.example.org"},
		"connections revoke: a conn": {"connections", "revoke"},
		"id, not a token":            {"connections", "revoke", identity.NewToken(identity.KindAccess).Reveal()},
		"\"y\" is no change_id":      {"undo", "y"},
		"exclude each other":         {"users", "list", "--stack", "x"},
		"belong to --stack":          {"users", "list", "--region", "x"},
		"--url stands alone":         {"doctor", "--url", "https://example.com/mcp"},
		"belongs to --url":           {"doctor", "--token"},
	} {
		d.fails(2, says, "", args...)
	}
	d.place = []string{"--data", filepath.Join(d.dir, "typo")}
	d.fails(2, "no data folder", "", "users", "list")
	if _, err := os.Stat(filepath.Join(d.dir, "typo")); err == nil {
		t.Error("a folder was made of a typing error")
	}
	d.place = nil
	d.fails(2, "say what to do", "", "users")
}

func TestWithAStackTheProgramBesideThisOneTakesOver(t *testing.T) {
	dir := t.TempDir()
	alone, beside := filepath.Join(dir, "intervals-mcp"), filepath.Join(dir, stackProgram)
	b, err := os.ReadFile(program)
	if err == nil {
		err = os.WriteFile(alone, b, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) (int, string) {
		cmd := exec.Command(alone, args...)
		cmd.Env = []string{"HOME=" + dir, "PATH=" + dir}
		out, _ := cmd.CombinedOutput() // its status says the same
		return cmd.ProcessState.ExitCode(), string(out)
	}
	if status, out := run("users", "list", "--stack", "x"); status != 2 || !strings.Contains(out, "needs the program "+stackProgram) {
		t.Errorf("alone: %d %s", status, out)
	}
	build := exec.Command("go", "build", "-o", beside, "../"+stackProgram)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s", out)
	}
	if status, out := run("users", "list", "--stack", "x"); status != 2 || out != "intervals-mcp: the AWS region is unknown; add --region, or set AWS_REGION\n" {
		t.Errorf("beside: %d %s", status, out)
	}
	if status, out := run("tokens", "create", "--stack", "x", "--days", "1"); status != 2 || !strings.Contains(out, "--user U is missing") && !strings.Contains(out, "region") {
		t.Errorf("misuse: %d %s", status, out)
	}
}

func TestForeignTextMovesNoCursor(t *testing.T) {
	d := newDesk(t)
	out := d.ok(riderKey, "users", "add", "--athlete", "i7001", "--name", "me\x1b[2J\r\nyou\u202e")
	out += d.ok("", "users", "list") + d.ok("", "users", "show", "i7001")
	if strings.ContainsAny(out, "\x1b\r\u202e") {
		t.Errorf("%q", out)
	}
}

func TestTablesInAPipeAreWholeAndSorted(t *testing.T) {
	d := newDesk(t)
	d.ok(riderKey, "users", "add", "--athlete", "i7001", "--name", strings.Repeat("long ", 18))
	d.ok(coachKey, "users", "add", "--athlete", "i7002")
	out := d.ok("", "users", "list")
	if !regexp.MustCompile(`(?s)^USER +ATHLETE +ENROLLED +REACHES +NAME\ni7001 .*(long ){17}long\ni7002 .* -\n$`).MatchString(out) {
		t.Errorf("%s", out)
	}
}
