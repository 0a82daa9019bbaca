package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"intervals-mcp/internal/operator"
	"intervals-mcp/internal/operator/stack"
)

// version is set by the linker.
var version = "dev"

// process is what the program gets from outside, so that tests can run it.
type process struct {
	args   []string
	getenv func(string) string
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process at once
	os.Exit(run(ctx, process{os.Args[1:], os.Getenv, os.Stdin, os.Stdout, os.Stderr}))
}

// run gives the exit status: 2 for what the caller can mend.
func run(ctx context.Context, p process) int {
	err := operate(ctx, p)
	if err == nil {
		return 0
	}
	if errors.Is(err, flag.ErrHelp) {
		err = operator.Misuse{Err: errors.New("`intervals-mcp --help` lists the commands")}
	}
	_, _ = fmt.Fprintf(p.stderr, "intervals-mcp: %v\n", err)
	if errors.As(err, &operator.Misuse{}) {
		return 2
	}
	return 1
}

func operate(ctx context.Context, p process) error {
	if len(p.args) == 0 || !slices.Contains([]string{"users", "tokens", "connections", "audit", "undo", "doctor"}, p.args[0]) {
		return operator.Misuse{Err: errors.New("this program is a part of intervals-mcp; start that one: intervals-mcp users list --stack NAME")}
	}
	return operator.Run(ctx, operator.Process{
		Command: p.args[0], Args: p.args[1:], Getenv: p.getenv, Stdin: p.stdin, Stdout: p.stdout, Stderr: p.stderr,
		Now: time.Now, UserAgent: "intervals-mcp/" + version,
		Stack: func(ctx context.Context, n operator.StackName) (*operator.Stores, error) {
			return stack.Open(ctx, n, time.Now)
		},
	})
}
