package main

import (
	"strings"
	"testing"
)

const (
	pass = `{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Output":"PASS\n"}
{"Action":"output","Package":"p","Output":"ok  \tp\t0.01s\n"}
{"Action":"pass","Package":"p"}
`
	table = `{"Action":"run","Package":"p","Test":"TestT"}
{"Action":"run","Package":"p","Test":"TestT/one"}
{"Action":"output","Package":"p","Test":"TestT/one","Output":"    x_test.go:1: wrong\n"}
{"Action":"fail","Package":"p","Test":"TestT/one"}
{"Action":"run","Package":"p","Test":"TestT/two"}
{"Action":"pass","Package":"p","Test":"TestT/two"}
{"Action":"fail","Package":"p","Test":"TestT"}
{"Action":"fail","Package":"p"}
`
	skip = `{"Action":"run","Package":"p","Test":"TestS"}
{"Action":"output","Package":"p","Test":"TestS","Output":"=== RUN   TestS\n"}
{"Action":"output","Package":"p","Test":"TestS","Output":"    s_test.go:1: ../shared is not there\n"}
{"Action":"skip","Package":"p","Test":"TestS"}
`
	build = `{"Action":"build-output","ImportPath":"p","Output":"./x.go:1: undefined: y\n"}
{"Action":"fail","Package":"p","FailedBuild":"p"}
`
)

func TestReportCountsLeavesAndShowsOnlyFailures(t *testing.T) {
	for _, tt := range []struct {
		name, in      string
		ci, hasShared bool
		exit          int
		want, wantNot []string
	}{
		{"a pass is one line and the count", pass, false, false, 0, []string{"ok  \tp\t0.01s\n", "1 passed, 0 failed\n"}, []string{"PASS"}},
		{"a table counts its rows", table, false, false, 1, []string{"x_test.go:1: wrong", "1 passed, 1 failed\n"}, nil},
		{"a skip is named", pass + skip, false, true, 0, []string{"skipped: p TestS: s_test.go:1: ../shared is not there", "1 passed, 0 failed, 1 skipped\n"}, nil},
		{"a skip fails in CI", pass + skip, true, true, 1, []string{"nothing may be skipped"}, nil},
		{"what needs ../shared may be skipped without it", pass + skip, true, false, 0, nil, []string{"nothing may be"}},
		{"a package that does not build fails", pass + build, false, false, 1, []string{"undefined: y", "1 passed, 1 failed\n"}, nil},
		{"no test at all fails", "", false, false, 1, []string{"no test was run"}, nil},
		{"words of the go command are kept", "go: something\n" + pass, false, false, 0, []string{"go: something\n"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out strings.Builder
			if exit := report(strings.NewReader(tt.in), &out, tt.ci, tt.hasShared); exit != tt.exit {
				t.Errorf("exit %d, want %d", exit, tt.exit)
			}
			for _, w := range tt.want {
				if !strings.Contains(out.String(), w) {
					t.Errorf("output lacks %q:\n%s", w, &out)
				}
			}
			for _, w := range tt.wantNot {
				if strings.Contains(out.String(), w) {
					t.Errorf("output has %q:\n%s", w, &out)
				}
			}
		})
	}
}
