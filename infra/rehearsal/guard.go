package rehearsal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Guard stands before an emulator of DynamoDB and Secrets Manager and is its
// IAM.
type Guard struct {
	roles map[string]*Role // by access key
	next  http.Handler

	mu     sync.Mutex
	down   []string // resources that cannot be reached
	denied []string
}

// NewGuard makes a guard for the functions whose access keys are given.
func NewGuard(emulator *url.URL, roles map[string]*Role) *Guard {
	return &Guard{roles: roles, next: httputil.NewSingleHostReverseProxy(emulator)}
}

// Break makes a resource (part of its ARN) unreachable until mend is called.
func (g *Guard) Break(resource string) (mend func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.down = append(g.down, resource)
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.down = slices.DeleteFunc(g.down, func(s string) bool { return s == resource })
	}
}

// Denied gives what was refused since it was last asked.
func (g *Guard) Denied() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	denied := g.denied
	g.denied = nil
	return denied
}

var credential = regexp.MustCompile(`Credential=([^/]+)/\d+/([^/]+)/`)

// ServeHTTP lets a request pass, refuses it, or plays a store that is down.
func (g *Guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the function has gone
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	who := credential.FindStringSubmatch(r.Header.Get("Authorization"))
	if who == nil || g.roles[who[1]] == nil {
		refuse(w, "UnrecognizedClientException", "The security token included in the request is invalid.")
		return
	}
	role := g.roles[who[1]]
	acts, err := actsOf(r.Header.Get("X-Amz-Target"), body, who[2])
	if err != nil {
		g.deny(w, role, fmt.Sprintf("%s (%v)", r.Header.Get("X-Amz-Target"), err), "?")
		return
	}
	for _, a := range acts {
		if g.isDown(a.Resource) {
			panic(http.ErrAbortHandler) // the connection breaks
		}
		if !role.May(a) {
			g.deny(w, role, a.Action, a.Resource)
			return
		}
	}
	g.next.ServeHTTP(w, r)
}

func (g *Guard) isDown(resource string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.ContainsFunc(g.down, func(s string) bool { return strings.Contains(resource, s) })
}

func (g *Guard) deny(w http.ResponseWriter, role *Role, action, resource string) {
	g.mu.Lock()
	g.denied = append(g.denied, role.Name+": "+action+" on "+resource)
	g.mu.Unlock()
	refuse(w, "AccessDeniedException", fmt.Sprintf("User: %s is not authorized to perform: %s on resource: %s", role.Name, action, resource))
}

func refuse(w http.ResponseWriter, code, message string) {
	w.Header().Set("Content-Type", "application/x-amz-json-1.1")
	w.Header().Set("X-Amzn-Errortype", code)
	w.WriteHeader(http.StatusBadRequest)
	_ = json.NewEncoder(w).Encode(map[string]string{"__type": code, "message": message}) // the function may have gone
}

const account = "123456789012" // moto's

// request is what matters of the requests that functions may make.
type request struct {
	TableName, IndexName, SecretId string //nolint:revive,staticcheck // AWS's names
	Name                           string // of a secret that is made
	Tags                           []any
	Key, Item                      map[string]struct{ S string }
	KeyConditionExpression         string
	ExpressionAttributeValues      map[string]struct{ S string }
	RequestItems                   map[string]json.RawMessage
	TransactItems                  []map[string]request
}

var equals = regexp.MustCompile(`=\s*(:\w+)`)

// partition is the partition key that a query names: the one that must equal.
func (r request) partition() string {
	if m := equals.FindStringSubmatch(r.KeyConditionExpression); m != nil {
		return r.ExpressionAttributeValues[m[1]].S
	}
	return ""
}

// actsOf tells what IAM checks of a request. An operation that is not known here
// is an error, and refused.
func actsOf(target string, body []byte, region string) ([]Act, error) {
	service, op, _ := strings.Cut(target, ".")
	var r request
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, err
	}
	table := func(name string) string { return "arn:aws:dynamodb:" + region + ":" + account + ":table/" + name }
	item := func(op string, r request) Act {
		a := Act{Action: "dynamodb:" + op, Resource: table(r.TableName)}
		for _, key := range []string{r.Key["pk"].S, r.Item["pk"].S, r.partition()} {
			if key != "" {
				a.Keys = map[string][]string{"dynamodb:LeadingKeys": {key}}
			}
		}
		return a
	}
	switch {
	case service == "secretsmanager" && r.SecretId != "":
		return []Act{{Action: "secretsmanager:" + op, Resource: "arn:aws:secretsmanager:" + region + ":" + account + ":secret:" + r.SecretId + "-AbCdEf"}}, nil
	case service == "secretsmanager" && op == "CreateSecret" && r.Name != "":
		acts := []Act{{Action: "secretsmanager:CreateSecret", Resource: "arn:aws:secretsmanager:" + region + ":" + account + ":secret:" + r.Name + "-AbCdEf"}}
		if len(r.Tags) > 0 { // to tag it takes a right of its own
			acts = append(acts, Act{Action: "secretsmanager:TagResource", Resource: acts[0].Resource})
		}
		return acts, nil
	case !strings.HasPrefix(service, "DynamoDB_"):
		return nil, fmt.Errorf("unknown service %q", service)
	case op == "TransactWriteItems" || op == "TransactGetItems":
		var acts []Act
		for _, t := range r.TransactItems {
			for kind, part := range t { // Put, Update, Delete, Get, ConditionCheck
				acts = append(acts, item(kind+"Item", part))
			}
		}
		return acts, nil
	case len(r.RequestItems) > 0:
		var acts []Act
		for name, wanted := range r.RequestItems {
			a := Act{Action: "dynamodb:" + op, Resource: table(name)}
			var get struct {
				Keys []map[string]struct{ S string }
			}
			if op == "BatchGetItem" && json.Unmarshal(wanted, &get) == nil {
				for _, key := range get.Keys {
					a.Keys = map[string][]string{"dynamodb:LeadingKeys": append(a.Keys["dynamodb:LeadingKeys"], key["pk"].S)}
				}
			}
			acts = append(acts, a)
		}
		return acts, nil
	case r.TableName != "" && r.IndexName != "":
		return []Act{{Action: "dynamodb:" + op, Resource: table(r.TableName) + "/index/" + r.IndexName}}, nil
	case r.TableName != "":
		return []Act{item(op, r)}, nil
	}
	return nil, fmt.Errorf("no resource in %s", op)
}
