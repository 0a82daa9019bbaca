package signin

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"intervals-mcp/internal/audit"
	auditdynamo "intervals-mcp/internal/audit/dynamo"
	"intervals-mcp/internal/authorizer"
	"intervals-mcp/internal/awsenv/awstest"
	"intervals-mcp/internal/change"
	"intervals-mcp/internal/embedded"
	"intervals-mcp/internal/gateway"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/identity/dynamo"
	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/intervals/fake"
	"intervals-mcp/internal/mcpserver"
	"intervals-mcp/internal/mcpserver/apigw"
	"intervals-mcp/internal/oauth"
	oauthapigw "intervals-mcp/internal/oauth/apigw"
	"intervals-mcp/internal/oauth/clientdoc"
	"intervals-mcp/internal/printed"
	"intervals-mcp/internal/secrets"
	"intervals-mcp/internal/state"
	statedynamo "intervals-mcp/internal/state/dynamo"
	"intervals-mcp/internal/tools"
)

// town is a deployment as AWS has it, in this process: API Gateway, authorizer,
// MCP server and authorization server on one https origin, wired as the
// functions are.
type town struct {
	Deployment
	t    *testing.T
	http *http.Client // of programs: no cookies, no redirects

	table  identity.Table
	ids    *identity.Store
	keys   secrets.Keeper
	state  state.Store
	audit  audit.Log
	fake   *fake.Server
	docs   *internet
	people int      // athletes i1 to iN, who may enrol; i0 may not
	calls  []string // of the stores, where they are DynamoDB's
	lines  printed.Lines

	guarded bool // documents come from the public internet alone, as in a deployment
	mu      sync.Mutex
	at      time.Time
	sent    int // requests to Intervals.icu
}

// keyOf is the Intervals.icu key of an athlete.
func keyOf(n int) string { return fmt.Sprintf("key-of-athlete-%03d-0123456789", n) }

func (w *town) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.at
}

func (w *town) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at = w.at.Add(d)
}

// RoundTrip is the way to Intervals.icu.
func (w *town) RoundTrip(r *http.Request) (*http.Response, error) {
	w.mu.Lock()
	w.sent++
	w.mu.Unlock()
	return w.fake.Transport().RoundTrip(r)
}

func (w *town) upstreamCalls() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sent
}

// called gives the operations of DynamoDB since it was last asked.
func (w *town) called() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	calls := w.calls
	w.calls = nil
	return calls
}

// onStores runs a test on each kind of store.
func onStores(t *testing.T, test func(t *testing.T, w *town)) {
	t.Run("memory", func(t *testing.T) { test(t, newTown(t)) })
	t.Run("embedded", func(t *testing.T) { test(t, newTown(t, onFile)) })
	t.Run("dynamodb", func(t *testing.T) { test(t, newTown(t, onDynamoDB)) })
}

func onFile(w *town) {
	file := embedded.New(w.t.TempDir())
	w.t.Cleanup(func() { file.Close() }) //nolint:errcheck // a test's folder goes anyway
	w.audit, w.state, w.table, w.keys = file.Audit(), file.State(w.now), file.Identity(), file.Secrets()
}

func onDynamoDB(w *town) {
	env := awstest.Env(w.t)
	note := func(operation string, _ []byte) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.calls = append(w.calls, operation)
	}
	open := func(define func(string) *dynamodb.CreateTableInput) (*dynamodb.Client, string) {
		_, noted, name, faults := awstest.NewTable(w.t, env, define)
		faults.Seen = note
		return noted, name
	}
	db, changes := open(auditdynamo.Definition)
	w.audit = auditdynamo.New(db, changes)
	db, plans := open(statedynamo.Definition)
	w.state = statedynamo.New(db, plans, changes, w.now)
	db, ids := open(dynamo.Definition)
	w.table = dynamo.New(db, ids)
}

func people(n int) func(*town) { return func(w *town) { w.people = n } }

// guarded leaves the guard of client documents as a deployment has it.
func guarded(w *town) { w.guarded = true }

func newTown(t *testing.T, changes ...func(*town)) *town {
	t.Helper()
	w := &town{t: t, people: 3, at: time.Now()} // API Gateway's own clock cannot be turned
	log := &audit.Memory{}
	w.audit, w.state, w.table, w.keys = log, state.NewMemory(log, w.now), &identity.Memory{}, &secrets.Memory{}
	for _, c := range changes {
		c(w)
	}
	w.ids = identity.NewStore(w.table, w.now)
	w.Key = keyOf(1)
	var all []fake.AthleteData
	for i := range w.people + 1 {
		all = append(all, fake.AthleteData{APIKey: keyOf(i), Athlete: fake.Object{"id": fmt.Sprintf("i%d", i), "name": fmt.Sprintf("Athlete %d", i), "timezone": "Europe/Berlin"}})
	}
	var err error
	if w.fake, err = fake.New(fake.Dataset{Athletes: all}, fake.Options{Now: w.now}); err != nil {
		t.Fatal(err)
	}
	authority := NewAuthority(t)
	w.docs = newInternet(t, authority)
	front := httptest.NewUnstartedServer(nil)
	front.TLS = &tls.Config{Certificates: []tls.Certificate{authority.Issue(t)}, MinVersion: tls.VersionTLS12}
	front.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	front.Config.Handler = w.handler(front.Listener.Addr().String())
	front.StartTLS()
	t.Cleanup(front.Close)
	w.Origin = front.URL
	w.http = &http.Client{Transport: authority.Transport(), CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	t.Cleanup(w.http.CloseIdleConnections)
	t.Cleanup(func() {
		for _, secret := range []string{"imcp_at_", "imcp_rt_", "imcp_pat_", "imcp_ac_", "key-of-athlete"} {
			if strings.Contains(w.lines.String(), secret) {
				t.Errorf("%s... stands in the log", secret)
			}
		}
	})
	return w
}

// handler wires the deployment as the functions wire it.
func (w *town) handler(domain string) http.Handler {
	log := slog.New(slog.NewJSONHandler(&w.lines, nil))
	up, err := intervals.New(intervals.Options{BaseURL: "http://127.0.0.1/api/v1", Transport: w, Sleep: func(context.Context, time.Duration) error { return nil }})
	if err != nil {
		w.t.Fatal(err)
	}
	changes := change.New(change.Config{Log: w.audit, State: w.state, Now: w.now, ApprovePage: oauth.ApprovePage})
	options := oauth.Options{Store: w.ids, Allow: w.state.Allow, Now: w.now, Log: log}
	if !w.guarded {
		cache := oauth.NewDocumentCache(w.ids, w.now)
		options.Documents = clientdoc.NewUnguarded(clientdoc.Options{Cache: cache, Now: w.now}, w.docs.dial, w.docs.authority.Pool)
	}
	server := oauth.New(options)
	site := oauth.NewSite(oauth.SiteOptions{Server: server, Identity: w.ids, Keys: w.keys, Changes: changes, State: w.state, Upstream: up, Log: log, Now: w.now,
		SessionKey: func(context.Context) (secrets.Secret, error) { return secrets.New(strings.Repeat("k", 32)), nil },
		Admit:      func(_ context.Context, athlete string) (bool, error) { return athlete != "i0", nil }})
	service := tools.NewService(tools.Config{Upstream: up, Secrets: w.keys, Changes: changes, Now: w.now, Log: log, AccountPage: "the account page"})
	mcp := mcpserver.New(mcpserver.Options{Caller: service, Tools: tools.All(), Version: "test", Log: log})
	who := &authorizer.Authorizer{Tokens: w.table, Now: w.now, Log: log}
	g := gateway.New(gateway.Options{Authorizer: who.Handle, Domain: domain, Log: log, Functions: map[string]gateway.Integration{
		"McpFunction": apigw.New(mcp, apigw.Options{SignIn: true}).Invoke, "OauthFunction": oauthapigw.New(server.Handler(site), "").Invoke}})
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if from := r.Header.Get("Test-Address"); from != "" { // one machine plays many
			r.RemoteAddr = net.JoinHostPort(from, "4711")
			r.Header.Del("Test-Address")
		}
		g.ServeHTTP(rw, r)
	})
}

// browser gives a person a browser.
func (w *town) browser() *Browser {
	w.t.Helper()
	return NewBrowser(w.t, w.Origin, w.http.Transport)
}

// internet is an https host on this machine that answers under the names of
// the assistants and of strangers, with a certificate of the test's authority.
type internet struct {
	authority *Authority
	address   string

	mu    sync.Mutex
	pages map[string]http.HandlerFunc // by URL
	asked map[string]int
}

func newInternet(t *testing.T, a *Authority) *internet {
	t.Helper()
	n := &internet{authority: a, pages: map[string]http.HandlerFunc{}, asked: map[string]int{}}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n.mu.Lock()
		page := n.pages["https://"+r.Host+r.URL.Path]
		n.asked["https://"+r.Host+r.URL.Path]++
		n.mu.Unlock()
		if page == nil {
			page = http.NotFound
		}
		page(w, r)
	}))
	s.TLS = &tls.Config{Certificates: []tls.Certificate{a.Issue(t, "claude.ai", "chatgpt.com", "stranger.example")}, MinVersion: tls.VersionTLS12}
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	n.address = s.Listener.Addr().String()
	return n
}

func (n *internet) dial(ctx context.Context, network, _ string) (net.Conn, error) {
	return (&net.Dialer{}).DialContext(ctx, network, n.address)
}

// publish puts a JSON document at an address.
func (n *internet) publish(address, document string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.pages[address] = func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(document))
	}
}

func (n *internet) fetched(address string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.asked[address]
}
