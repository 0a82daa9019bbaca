package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

// version is set by the linker; without it the build's own data are used.
var version string

// process is what the program gets from outside, so that tests can run it.
type process struct {
	args   []string
	getenv func(string) string
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
}

func main() {
	// A client that went away must not kill the process by SIGPIPE in the
	// middle of a change: writing then fails, and what was begun is finished.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process at once
	os.Exit(run(ctx, process{os.Args[1:], os.Getenv, os.Stdin, os.Stdout, os.Stderr}))
}

// usageError is what the caller can mend: one line, exit status 2.
type usageError struct{ error }

func misuse(format string, a ...any) error { return usageError{fmt.Errorf(format, a...)} }

// run gives the exit status.
func run(ctx context.Context, p process) int {
	err := dispatch(ctx, p)
	switch {
	case err == nil:
		return 0
	case errors.Is(err, flag.ErrHelp):
		_, _ = io.WriteString(p.stdout, help(p.args))
		return 0
	}
	_, _ = fmt.Fprintf(p.stderr, "intervals-mcp: %v\n", err)
	if errors.As(err, &usageError{}) {
		return 2
	}
	return 1
}

func dispatch(ctx context.Context, p process) error {
	if len(p.args) == 0 {
		return misuse("a command is missing: serve, stdio, users, tokens, connections, audit, undo, doctor, fake or version (--help says more)")
	}
	command := p.args[0]
	p.args = p.args[1:]
	switch command {
	case "serve":
		return serve(ctx, p)
	case "stdio":
		return stdio(ctx, p)
	case "fake":
		return serveFake(ctx, p)
	case "users", "tokens", "connections", "audit", "undo", "doctor":
		return operate(ctx, p, command)
	case "version", "--version", "-version":
		_, err := fmt.Fprintln(p.stdout, "intervals-mcp", buildVersion())
		return err
	case "help", "--help", "-help", "-h":
		return flag.ErrHelp
	}
	return misuse("unknown command %q: use serve, stdio, users, tokens, connections, audit, undo, doctor, fake or version (--help says more)", command)
}

func buildVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "dev"
}
