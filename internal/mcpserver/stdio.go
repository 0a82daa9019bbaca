package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"runtime/debug"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"intervals-mcp/internal/identity"
)

// atOnce bounds the messages that are worked on at the same time over stdio.
const atOnce = 16

// ServeStdio answers newline-delimited JSON-RPC messages from in on out until
// in ends or the context does; then it finishes what it has begun and returns
// nil. An error means that out could not be written.
//
// mcp-go's own loop is not used: it cancels what is under way when stdin ends
// (so a pipe gets no answer), drops a last line without newline, bounds no
// message and keeps its session in a package variable.
func (s *Server) ServeStdio(ctx context.Context, id identity.Identity, in io.Reader, out io.Writer) error {
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	c := &stdio{s: s, out: out, stop: stop, who: id}
	work = s.mcp.WithContext(identity.With(work, id), &stdioSession{notices: make(chan mcp.JSONRPCNotification, 16)})
	if s.legacy != nil {
		work = server.WithSupportedProtocolVersions(work, s.legacy)
	}
	lines := make(chan line)
	go readLines(in, lines, ctx.Done())
	room := make(chan struct{}, atOnce)
	for {
		var l line
		select {
		case <-ctx.Done(): // a signal: stop reading, finish what is under way
			l.err = io.EOF
		case <-work.Done(): // out is broken
			l.err = io.EOF
		case l = <-lines:
		}
		if l.err != nil {
			break
		}
		c.take(work, l, room)
	}
	c.wg.Wait()
	return c.failure()
}

// stdio is one conversation over stdin and stdout.
type stdio struct {
	s    *Server
	who  identity.Identity
	wg   sync.WaitGroup
	stop context.CancelFunc

	mu  sync.Mutex // guards out and err
	out io.Writer
	err error
}

func (c *stdio) failure() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// take starts one message. Requests run side by side; notifications and the
// handshake do not, so that what follows them sees their effect.
func (c *stdio) take(ctx context.Context, l line, room chan struct{}) {
	ex := &exchange{id: newID(), start: time.Now(), user: c.who.User}
	ex.deadline = ex.start.Add(maxTimeout)
	if l.tooLong {
		ex.kind = "bad request"
		c.write(ex, rpcError(nil, mcp.INVALID_REQUEST, "the message is too large; at most "+size(DefaultMaxBody)+" are read", nil))
		ex.log(ctx, c.s.log)
		return
	}
	env, problem := readEnvelope(l.text)
	if problem != "" {
		ex.kind = "bad request"
		c.write(ex, rpcError(nil, mcp.PARSE_ERROR, problem, nil))
		ex.log(ctx, c.s.log)
		return
	}
	if env.Method == "" && env.ID != nil && isResponse(l.text) {
		return // an answer to nothing: this server asks no questions over stdio
	}
	if env.ID == nil || env.Method == mcp.MethodInitialize {
		c.handle(ctx, ex, env, l.text)
		return
	}
	room <- struct{}{}
	c.wg.Go(func() {
		defer func() { <-room }()
		c.handle(ctx, ex, env, l.text)
	})
}

// handle runs one message and writes its answer and its log line.
func (c *stdio) handle(ctx context.Context, ex *exchange, env envelope, message []byte) {
	ctx = withExchange(ctx, ex)
	resp := c.run(ctx, ex, env, message)
	if resp != nil {
		c.write(ex, resp)
	}
	if env.ID != nil || ex.kind != "" {
		ex.log(ctx, c.s.log)
	}
}

func (c *stdio) run(ctx context.Context, ex *exchange, env envelope, message []byte) (resp any) {
	defer func() {
		if recover() != nil {
			ex.outcome("panic")
			c.s.log.ErrorContext(ctx, "panic", "request_id", ex.id, "stack", string(debug.Stack()))
			resp = nil
			if env.ID != nil {
				resp = rpcError(env.ID, mcp.INTERNAL_ERROR, "this server failed to answer", nil)
			}
		}
	}()
	r := c.s.mcp.HandleMessage(ctx, message)
	ex.mu.Lock()
	unknown, missing := ex.unknown, ex.missing
	ex.mu.Unlock()
	switch {
	case r == nil:
		return nil
	case unknown != "":
		return rpcError(env.ID, mcp.INVALID_PARAMS, unknown, nil)
	case missing != "":
		return lacking(env.ID, missing)
	}
	return r
}

// write sends one line.
func (c *stdio) write(ex *exchange, v any) {
	b, err := json.Marshal(v)
	if err != nil { // a tool's structured result that is no JSON
		ex.outcome("internal")
		b, _ = json.Marshal(rpcError(ex.requestID, mcp.INTERNAL_ERROR, "this server failed to write the answer", nil))
	}
	b = ex.fill(b)
	ex.bytes = len(b)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return
	}
	if _, c.err = c.out.Write(append(b, '\n')); c.err != nil {
		c.stop()
	}
}

// isResponse tells an answer from a request without a method.
func isResponse(message []byte) bool {
	var r struct {
		Result json.RawMessage `json:"result"`
		Error  json.RawMessage `json:"error"`
	}
	return json.Unmarshal(message, &r) == nil && (r.Result != nil || r.Error != nil)
}

// line is one line of input.
type line struct {
	text    []byte
	tooLong bool
	err     error
}

// readLines sends the lines of in that are not blank, then the error that
// ended it. A last line needs no newline.
func readLines(in io.Reader, to chan<- line, done <-chan struct{}) {
	r := bufio.NewReaderSize(in, 16<<10)
	send := func(l line) bool {
		select {
		case to <- l:
			return true
		case <-done:
			return false
		}
	}
	for {
		text, tooLong, err := readLine(r, DefaultMaxBody)
		if text = bytes.TrimSpace(text); len(text) > 0 || tooLong {
			if !send(line{text: text, tooLong: tooLong}) {
				return
			}
		}
		if err != nil {
			send(line{err: err})
			return
		}
	}
}

// readLine reads up to a newline, keeping at most limit bytes.
func readLine(r *bufio.Reader, limit int) (text []byte, tooLong bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if len(text)+len(part) > limit {
			tooLong = true
			text = text[:0]
		}
		if !tooLong {
			text = append(text, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return text, tooLong, err
		}
	}
}
