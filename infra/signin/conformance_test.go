package signin

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// checks are the checks of the suite's two scenarios for authorization servers
// (reference/mcp/04). All of them must pass; none is expected to fail. The
// second scenario sends no resource unless it is told one: both ways are run.
var checks = []string{"authorization-server-metadata", "authorization-server-metadata-cimd", "authorization-code-grant"}

func TestConformance_TheSuitesAuthorizationServerScenariosPass(t *testing.T) {
	s := Serve(t)
	script := tool(t, "npm", "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js")
	for name, resource := range map[string][]string{"without resource": nil, "with resource": {"--resource", s.URL()}} {
		t.Run(name, func(t *testing.T) {
			port := freePort(t)
			client := register(t, http.DefaultClient, s.Origin, fmt.Sprintf(`{"client_name":"Conformance","redirect_uris":["http://127.0.0.1:%s/callback"],"token_endpoint_auth_method":"none"}`, port))
			out := t.TempDir()
			cmd := exec.CommandContext(t.Context(), node(t), append([]string{script, "authorization", "--url", s.Origin, "--client-id", client["client_id"].(string), "-p", port, "-o", out}, resource...)...)
			pipe, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			cmd.Stderr = cmd.Stdout
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			said := drive(t, s, pipe)
			if err := cmd.Wait(); err != nil {
				t.Errorf("%v\n%s", err, said)
			}
			passed := statuses(t, out)
			for _, id := range checks {
				if passed[id] != "SUCCESS" {
					t.Errorf("%s: %q\n%s", id, passed[id], said)
				}
				delete(passed, id)
			}
			if len(passed) > 0 {
				t.Errorf("the suite has checks that nobody has looked at: %v", passed)
			}
		})
	}
}

// drive lets the person open what the suite asks to be opened, and gives all
// that it said.
func drive(t *testing.T, s *Served, out io.Reader) string {
	t.Helper()
	var said strings.Builder
	scan := bufio.NewScanner(out)
	scan.Buffer(nil, 1<<20)
	for scan.Scan() {
		line := strings.TrimSpace(scan.Text())
		said.WriteString(line + "\n")
		if strings.HasPrefix(line, s.Origin+"/authorize?") {
			b := NewBrowser(t, s.Origin, http.DefaultTransport)
			b.Deliver(b.Consent(line, s.Key, "scope", "read"))
		}
	}
	return said.String()
}

// statuses reads what the suite wrote down of each check.
func statuses(t *testing.T, dir string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*", "checks.json"))
	if err != nil || len(files) != 2 {
		t.Fatalf("the suite wrote %d results: %v", len(files), err)
	}
	out := map[string]string{}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		var list []struct{ ID, Status string }
		if err == nil {
			err = json.Unmarshal(raw, &list)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range list {
			out[c.ID] = c.Status
		}
	}
	return out
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close() //nolint:errcheck // only its number was wanted
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// register registers a client and gives the answer.
func register(t *testing.T, client *http.Client, origin, metadata string) map[string]any {
	t.Helper()
	resp, err := client.Post(origin+"/register", "application/json", strings.NewReader(metadata))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // it was read
	var got map[string]any
	if err := json.NewDecoder(resp.Body).Decode(&got); err != nil || resp.StatusCode != http.StatusCreated {
		t.Fatalf("%s %v %v", resp.Status, got, err)
	}
	return got
}
