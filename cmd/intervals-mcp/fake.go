package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"intervals-mcp/internal/intervals/fake"
)

// serveFake runs the fake Intervals.icu alone.
func serveFake(ctx context.Context, p process) error {
	var addr, now, load, readyFile string
	f := flags("fake")
	f.StringVar(&addr, "addr", "127.0.0.1:8766", "")
	f.StringVar(&now, "now", "", "")
	f.StringVar(&load, "load", "", "")
	f.StringVar(&readyFile, "ready-file", "", "")
	if err := parse(f, p.args); err != nil {
		return err
	}
	log, err := logger(p)
	if err != nil {
		return err
	}
	at, err := clock(now)
	if err != nil {
		return err
	}
	if err := dropReady(readyFile); err != nil {
		return err
	}
	data, err := fakeData(load, at)
	if err != nil {
		return err
	}
	o := fake.Options{Log: log}
	if now != "" || load == "" {
		o.Now = at
	}
	s, err := fake.New(data, o)
	if err != nil {
		return misuse("--load %s: %v", load, err)
	}
	if strings.HasPrefix(addr, ":") {
		addr = "127.0.0.1" + addr
	}
	l, err := listen(addr, true, "")
	if err != nil {
		return err
	}
	defer l.Close() //nolint:errcheck // the process ends
	url := localURL(l) + "/api/v1"
	return runHTTP(ctx, l, s, log, func() error {
		athletes := s.Athletes()
		if err := writeReady(readyFile, map[string]any{"url": url, "pid": os.Getpid(), "athletes": athletes}); err != nil {
			return err
		}
		_, _ = fmt.Fprintf(p.stdout, "fake Intervals.icu at %s with %d invented athletes; the first, %s, has the key %s\n"+
			"Try: API_KEY=%[4]s INTERVALS_API_BASE_URL=%[1]s intervals-mcp serve --data %[5]s\n",
			url, len(athletes), athletes[0].ID, athletes[0].APIKey, filepath.Join(os.TempDir(), "intervals-fake"))
		return nil
	})
}

// fakeData is the demo, or a data set from a file.
func fakeData(load string, at func() time.Time) (fake.Dataset, error) {
	if load == "" {
		return fake.Demo(at()), nil
	}
	f, err := os.Open(load)
	if err != nil {
		var path *fs.PathError
		if errors.As(err, &path) {
			err = path.Err
		}
		return fake.Dataset{}, misuse("--load %s: %v", load, err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	d, err := fake.Load(f)
	if err != nil {
		return d, misuse("--load %s: %v", load, err)
	}
	return d, nil
}
