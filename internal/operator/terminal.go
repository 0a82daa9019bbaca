package operator

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"intervals-mcp/internal/secrets"
)

// terminal gives the file behind a reader or writer when a person sits there.
func terminal(v any) (*os.File, bool) {
	f, ok := v.(*os.File)
	return f, ok && term.IsTerminal(int(f.Fd()))
}

// width of the terminal that w is; 0 when it is none.
func width(w io.Writer) int {
	f, ok := terminal(w)
	if !ok {
		return 0
	}
	n, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return n
}

// confirm asks before something is removed. Where nobody can answer it wants
// --yes.
func (c *command) confirm(ctx context.Context, question string) error {
	if c.yes {
		return nil
	}
	in, ok := terminal(c.Stdin)
	if !ok {
		return misuse("%s: nobody can be asked here; add --yes to go on without a question", c.fs.Name())
	}
	return c.ask(ctx, in, question)
}

// ask puts a question to the person at the terminal; only yes goes on.
func (c *command) ask(ctx context.Context, in *os.File, question string) error {
	_, _ = fmt.Fprintf(c.Stderr, "%s [y/N] ", question)
	answer, err := c.within(ctx, in, func() ([]byte, error) {
		line, err := bufio.NewReaderSize(in, 16).ReadString('\n')
		return []byte(line), err
	})
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	switch strings.ToLower(strings.TrimSpace(string(answer))) {
	case "y", "yes":
		return nil
	}
	return errors.New("nothing was done")
}

// maxSecret bounds what is read as a key or a token.
const maxSecret = 4096

// secret reads a key or token: from a prompt that shows nothing, or one line of
// stdin. what names it.
func (c *command) secret(ctx context.Context, what, prompt string) (secrets.Secret, error) {
	var raw []byte
	var err error
	if in, ok := terminal(c.Stdin); ok {
		_, _ = fmt.Fprint(c.Stderr, prompt)
		fd := int(in.Fd()) // read here: the reader outlives a Ctrl-C, and so in
		raw, err = c.within(ctx, in, func() ([]byte, error) { return term.ReadPassword(fd) })
		_, _ = fmt.Fprintln(c.Stderr)
	} else {
		raw, err = io.ReadAll(io.LimitReader(c.Stdin, maxSecret+1))
	}
	if err != nil && !errors.Is(err, io.EOF) {
		if ctx.Err() != nil {
			return secrets.Secret{}, ctx.Err()
		}
		return secrets.Secret{}, fmt.Errorf("%s cannot be read: %w", what, err)
	}
	value := strings.TrimSpace(string(raw))
	switch {
	case value == "":
		return secrets.Secret{}, misuse("%s is missing: type it at the prompt, or give it on stdin", what)
	case len(raw) > maxSecret || strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r > '~' }):
		return secrets.Secret{}, misuse("%s must be one line without spaces; copy it again", what)
	}
	return secrets.New(value), nil
}

// within reads from a terminal until the context ends, and leaves the terminal
// as it was: Ctrl-C at a prompt without echo must not leave it mute.
func (c *command) within(ctx context.Context, in *os.File, read func() ([]byte, error)) ([]byte, error) {
	before, err := term.GetState(int(in.Fd()))
	if err != nil {
		return nil, err
	}
	type result struct {
		text []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		text, err := read()
		done <- result{text, err}
	}()
	select {
	case r := <-done:
		return r.text, r.err
	case <-ctx.Done():
		return nil, errors.Join(ctx.Err(), term.Restore(int(in.Fd()), before))
	}
}

// progress shows how far long work has come, on a terminal only.
type progress struct {
	w     io.Writer // nil = nobody looks
	last  time.Time
	shown bool
}

func (c *command) progress() *progress {
	if _, ok := terminal(c.Stderr); !ok {
		return &progress{}
	}
	return &progress{w: c.Stderr, last: time.Now()}
}

// show replaces the line, a few times in a second and not before there was
// something to wait for.
func (p *progress) show(format string, a ...any) {
	if p.w == nil || time.Since(p.last) < 200*time.Millisecond {
		return
	}
	p.last, p.shown = time.Now(), true
	_, _ = fmt.Fprintf(p.w, "\r\x1b[K"+format, a...)
}

// clear takes the line away.
func (p *progress) clear() {
	if p.shown {
		_, _ = fmt.Fprint(p.w, "\r\x1b[K")
	}
}
