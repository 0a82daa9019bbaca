package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// screen is a terminal: what a person types and sees.
type screen struct {
	t        *testing.T
	keyboard *os.File // the other end
	file     *os.File // what the program gets
	mu       sync.Mutex
	seen     bytes.Buffer
}

func newScreen(t *testing.T, columns uint16) *screen {
	t.Helper()
	keyboard, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { keyboard.Close() }) //nolint:errcheck // a test
	fd := int(keyboard.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Skip(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Skip(err)
	}
	file, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { file.Close() }) //nolint:errcheck // a test
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Col: columns, Row: 24}); err != nil {
		t.Skip(err)
	}
	s := &screen{t: t, keyboard: keyboard, file: file}
	go func() {
		buf := make([]byte, 4096)
		for {
			n, err := keyboard.Read(buf)
			s.mu.Lock()
			s.seen.Write(buf[:n])
			s.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return s
}

func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen.String()
}

// wait waits until something is seen.
func (s *screen) wait(text string) {
	s.t.Helper()
	s.waitFor(1, text)
}

// waitFor waits until something is seen so many times.
func (s *screen) waitFor(times int, text string) {
	s.t.Helper()
	for range 400 {
		if strings.Count(s.text(), text) >= times {
			return
		}
		time.Sleep(25 * time.Millisecond)
	}
	s.t.Fatalf("%q is not seen in %q", text, s.text())
}

func (s *screen) press(text string) {
	s.t.Helper()
	if _, err := io.WriteString(s.keyboard, text); err != nil {
		s.t.Fatal(err)
	}
}

// sit runs a command with the screen as stdin, stdout and stderr.
func (d *desk) sit(ctx context.Context, s *screen, args ...string) chan int {
	done := make(chan int, 1)
	go func() {
		done <- run(ctx, process{append(args, d.place...), func(name string) string { return d.env[name] }, s.file, s.file, s.file})
	}()
	return done
}

func TestAKeyTypedAtThePromptIsNotShown(t *testing.T) {
	d, s := newDesk(t), newScreen(t, 200)
	done := d.sit(t.Context(), s, "users", "add", "--athlete", "i7001")
	s.wait("it is not shown): ")
	time.Sleep(50 * time.Millisecond) // the terminal goes mute just after the prompt
	s.press(riderKey + "\n")
	if status := <-done; status != 0 {
		t.Fatalf("status %d: %s", status, s.text())
	}
	s.wait("is enrolled")
	d.printed.WriteString(s.text())
}

func TestCtrlCAtThePromptLeavesTheTerminalAsItWas(t *testing.T) {
	d, s := newDesk(t), newScreen(t, 200)
	ctx, cancel := context.WithCancel(t.Context())
	done := d.sit(ctx, s, "users", "add", "--athlete", "i7001")
	s.wait("it is not shown): ")
	time.Sleep(50 * time.Millisecond)
	cancel()
	if status := <-done; status != 1 {
		t.Errorf("status %d", status)
	}
	s.wait("stopped")
	state, err := unix.IoctlGetTermios(int(s.file.Fd()), unix.TCGETS)
	if err != nil || state.Lflag&unix.ECHO == 0 {
		t.Errorf("the terminal stays mute (%v)", err)
	}
	s.press("\n") // ends the reader
}

func TestNothingIsRemovedUnlessAPersonSaysYes(t *testing.T) {
	d := newDesk(t)
	d.ok(riderKey, "users", "add", "--athlete", "i7001")
	for _, answer := range []string{"\n", "n\n", "yess\n"} {
		s := newScreen(t, 200)
		done := d.sit(t.Context(), s, "users", "remove", "i7001")
		s.wait("[y/N] ")
		s.press(answer)
		if status := <-done; status != 1 {
			t.Errorf("answer %q: status %d", answer, status)
		}
		s.wait("nothing was done")
	}
	d.ok("", "users", "show", "i7001")
	s := newScreen(t, 200)
	done := d.sit(t.Context(), s, "users", "remove", "i7001")
	s.wait("[y/N] ")
	s.press("yes\n")
	if status := <-done; status != 0 {
		t.Errorf("status %d: %s", status, s.text())
	}
	d.fails(1, "no user", "", "users", "show", "i7001")
}

func TestATableIsCutAtTheTerminalsEdge(t *testing.T) {
	d, s := newDesk(t), newScreen(t, 60)
	d.ok(riderKey, "users", "add", "--athlete", "i7001", "--name", strings.Repeat("long ", 18))
	if status := <-d.sit(t.Context(), s, "users", "list"); status != 0 {
		t.Fatal(s.text())
	}
	s.wait("…")
	for line := range strings.SplitSeq(s.text(), "\r\n") {
		if n := len([]rune(line)); n > 60 {
			t.Errorf("%d characters: %q", n, line)
		}
	}
}

func TestAnUndoIsMadeWhenAPersonWhoSawItSaysYes(t *testing.T) {
	d := newDesk(t)
	d.ok(riderKey, "users", "add", "--athlete", "i7001")
	made := d.assistant("i7001", riderKey, planned("Threshold"))
	path := "/athlete/i7001/events/" + made.State.Str("id")
	for _, answer := range []string{"\n", "n\n"} {
		s := newScreen(t, 200)
		done := d.sit(t.Context(), s, "undo", made.ChangeID)
		s.wait("Undo this? [y/N] ")
		s.press(answer)
		if status := <-done; status != 1 || d.event(made.State.Str("id")) == "" || d.waiting("i7001") != 0 {
			t.Errorf("answer %q: status %d: %s", answer, status, s.text())
		}
		s.wait("nothing was done")
	}
	s := newScreen(t, 200)
	ctx, cancel := context.WithCancel(t.Context())
	done := d.sit(ctx, s, "undo", made.ChangeID)
	s.wait("Undo this? [y/N] ")
	cancel() // Ctrl-C
	if status := <-done; status != 1 || d.waiting("i7001") != 0 {
		t.Errorf("status %d, %d plans wait: %s", status, d.waiting("i7001"), s.text())
	}
	s.press("\n") // ends the reader

	s = newScreen(t, 200)
	done = d.sit(t.Context(), s, "undo", made.ChangeID)
	s.wait("Undo this? [y/N] ")
	if status, answer := d.platform("PUT", path, map[string]any{"name": "Mine"}); status != 200 { // while the person reads
		t.Fatal(answer)
	}
	s.press("y\n")
	s.wait(`changed since`)
	s.wait("fresh preview")
	s.waitFor(2, "Undo this? [y/N] ")
	if d.event(made.State.Str("id")) == "" {
		t.Fatal("it was undone though it had changed since it was shown")
	}
	s.press("y\n")
	if status := <-done; status != 0 || d.event(made.State.Str("id")) != "" {
		t.Errorf("status %d: %s", status, s.text())
	}
	s.wait("Undone, as change ")
	d.printed.WriteString(s.text())
}
