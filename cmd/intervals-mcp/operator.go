package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"intervals-mcp/internal/operator"
	"intervals-mcp/internal/operator/folder"
)

// operate runs one of the operator's commands.
func operate(ctx context.Context, p process, name string) error {
	err := operator.Run(ctx, operator.Process{
		Command: name, Args: p.args, Getenv: p.getenv, Stdin: p.stdin, Stdout: p.stdout, Stderr: p.stderr,
		Now: time.Now, UserAgent: userAgent(), Folder: openFolder,
		HandOver: func() error { return handOver(append([]string{name}, p.args...)) },
	})
	var m operator.Misuse
	if errors.As(err, &m) {
		return usageError{m.Err}
	}
	return err
}

// openFolder opens a data folder, "" the one that serve takes.
func openFolder(dir string, mayMake bool) (*operator.Stores, error) {
	if dir == "" {
		base, err := userDataDir()
		if err != nil {
			return nil, operator.Misuse{Err: fmt.Errorf("the data folder of this user is unknown (%w); name one with --data", err)}
		}
		dir = filepath.Join(base, "intervals-mcp")
	}
	return folder.Open(dir, mayMake, time.Now)
}

// stackProgram does what --stack asks for. It is a program of its own because
// the AWS SDK would cost every start of this one (docs/decisions/010-stack-program.md).
const stackProgram = "intervals-mcp-stack"

// handOver becomes the stack program: the one beside this program, else the
// one of PATH.
func handOver(args []string) error {
	name := stackProgram
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	path := ""
	if self, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(self); err == nil {
			self = real
		}
		path = filepath.Join(filepath.Dir(self), name)
	}
	if _, err := os.Stat(path); err != nil {
		if path, err = exec.LookPath(name); err != nil {
			return misuse("--stack needs the program %s beside this one; `make build` makes both, and so does go install ./cmd/...", stackProgram)
		}
	}
	err := syscall.Exec(path, append([]string{path}, args...), os.Environ()) //nolint:gosec // our own program
	if runtime.GOOS != "windows" {
		return misuse("%s cannot be started: %v", stackProgram, err)
	}
	cmd := exec.Command(path, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		os.Exit(exit.ExitCode()) // it has said why
	}
	return err
}
