package signin

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// Deployment is where clients connect.
type Deployment struct {
	Origin string
	// Key is the Intervals.icu key of a person who may enrol.
	Key string
	// CA is a file with the authority of the deployment's certificate, ""
	// where it is served over plain HTTP.
	CA string
}

// URL is the address that a person pastes into a client.
func (d Deployment) URL() string { return d.Origin + "/mcp" }

// Client is an official client that runs beside the test. It has its own OAuth
// code; the test only plays the person.
type Client struct {
	T     testing.TB
	Name  string
	Tools []string // offered when it connected

	in    io.Writer
	lines chan said
	log   *bytes.Buffer
}

// said is a line of a client.
type said struct {
	Open    string
	Ready   []string
	Result  map[string]any
	Text    string
	IsError bool
	Error   string
	Fatal   string
	Spoiled bool
}

// patience bounds how long a client may take for a step: it is a whole
// interpreter on a machine that may be busy.
const patience = 60 * time.Second

// TypeScript starts the official TypeScript SDK's client.
func TypeScript(t testing.TB, d Deployment) *Client {
	t.Helper()
	script := filepath.Join(root, "infra/signin/clients/typescript.mjs")
	tool(t, "npm", "node_modules", "@modelcontextprotocol", "sdk")
	return start(t, "TypeScript SDK", d, node(t), script, tool(t, "npm"), d.URL())
}

// Python starts the official Python SDK's client.
func Python(t testing.TB, d Deployment) *Client {
	t.Helper()
	return start(t, "Python SDK", d, tool(t, "mcp", "bin", "python"), filepath.Join(root, "infra/signin/clients/python_sdk.py"), d.URL())
}

func start(t testing.TB, name string, d Deployment, command ...string) *Client {
	t.Helper()
	c := &Client{T: t, Name: name, lines: make(chan said), log: &bytes.Buffer{}}
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	cmd.Env = append(os.Environ(), "NODE_EXTRA_CA_CERTS="+d.CA, "NO_PROXY=127.0.0.1,localhost", "no_proxy=127.0.0.1,localhost")
	if d.CA != "" {
		cmd.Env = append(cmd.Env, "SSL_CERT_FILE="+d.CA)
	}
	cmd.Stderr, cmd.WaitDelay = c.log, 5*time.Second
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.in = in
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		defer close(c.lines)
		scan := bufio.NewScanner(out)
		scan.Buffer(nil, 8<<20)
		for scan.Scan() {
			var s said
			if json.Unmarshal(scan.Bytes(), &s) != nil {
				s.Fatal = "it says " + scan.Text()
			}
			select {
			case c.lines <- s:
			case <-t.Context().Done():
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = in.Close() // it ends by itself
		done := time.AfterFunc(10*time.Second, func() { _ = cmd.Process.Kill() })
		defer done.Stop()
		<-read
		if err := cmd.Wait(); err != nil && t.Context().Err() == nil {
			t.Errorf("%s ended with %v\n%s", name, err, c.log)
		}
	})
	return c
}

// next is the client's next line.
func (c *Client) next() said {
	c.T.Helper()
	select {
	case s, ok := <-c.lines:
		if !ok || s.Fatal != "" {
			c.T.Fatalf("%s gave up: %s\n%s", c.Name, s.Fatal, c.log)
		}
		return s
	case <-time.After(patience):
		c.T.Fatalf("%s said nothing for %s\n%s", c.Name, patience, c.log)
	}
	return said{}
}

// Connect waits until the client asks for the browser, in which the person
// consents with these choices, and then until it is connected.
func (c *Client) Connect(b *Browser, key string, choices ...string) {
	c.T.Helper()
	s := c.next()
	if s.Open == "" {
		c.T.Fatalf("%s does not ask for the browser: %+v", c.Name, s)
	}
	b.Deliver(b.Consent(s.Open, key, choices...))
	s = c.next()
	if len(s.Ready) == 0 {
		c.T.Fatalf("%s is not connected: %+v", c.Name, s)
	}
	c.Tools = s.Ready
}

// Answer is what came of a call.
type Answer struct {
	Result map[string]any
	Text   string
	Failed bool // the tool said so
	Error  string
	// Asked is set where the client first wants the person again: it waits for
	// Settle.
	Asked string
}

// Ask calls a tool.
func (c *Client) Ask(tool string, arguments map[string]any) Answer {
	c.T.Helper()
	c.write(map[string]any{"call": tool, "arguments": arguments})
	return c.answer()
}

func (c *Client) answer() Answer {
	c.T.Helper()
	s := c.next()
	return Answer{s.Result, s.Text, s.IsError, s.Error, s.Open}
}

// Settle gives a client what the person answered, and what came of the call
// that waited for it.
func (c *Client) Settle(b *Browser, back string) Answer {
	c.T.Helper()
	b.Deliver(back)
	return c.answer()
}

// Call calls a tool, which must succeed without the person.
func (c *Client) Call(tool string, arguments map[string]any) Answer {
	c.T.Helper()
	return c.good(c.Ask(tool, arguments), tool)
}

func (c *Client) good(a Answer, tool string) Answer {
	c.T.Helper()
	if a.Error != "" || a.Failed || a.Asked != "" {
		c.T.Fatalf("%s: %s: %+v\n%s", c.Name, tool, a, c.log)
	}
	return a
}

// Spoil makes the client's access token one that is not good any more, so that
// it must refresh.
func (c *Client) Spoil() {
	c.T.Helper()
	c.write(map[string]any{"spoil": true})
	if s := c.next(); !s.Spoiled {
		c.T.Fatalf("%s: %+v", c.Name, s)
	}
}

func (c *Client) write(v any) {
	c.T.Helper()
	b, err := json.Marshal(v)
	if err == nil {
		_, err = c.in.Write(append(b, '\n'))
	}
	if err != nil {
		c.T.Fatalf("%s: %v", c.Name, err)
	}
}
