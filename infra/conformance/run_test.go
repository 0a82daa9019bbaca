package main

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestSummaryLeavesOutWhatIsNotScored(t *testing.T) {
	got := summarize(`✗ before the summary: 0 passed, 1 failed
=== SUMMARY ===
✓ ping: 2 passed, 0 failed
✗ tools-call-with-progress: 1 passed, 1 failed
✗ tasks-lifecycle: 1 passed, 8 failed

Total: 4 passed, 10 failed

Not scored for 2026-07-28: 1 scenario(s) run, 1 failing.
  ✗ tasks-lifecycle (extension)
`)
	if !slices.Equal(got.passed, []string{"ping"}) || !slices.Equal(got.failed, []string{"tools-call-with-progress"}) {
		t.Errorf("%+v", got)
	}
}

func TestEveryExpectedFailureHasAReasonAndIsOneThatAStatelessServerCannotPass(t *testing.T) {
	known := []string{"tools-call-sampling", "tools-call-elicitation", "elicitation-sep1034-defaults", "elicitation-sep1330-enums", "resources-subscribe", "resources-unsubscribe"}
	for _, v := range versions {
		names, err := readList("expected-" + v + ".yml")
		if err != nil {
			t.Error(err)
		}
		for _, name := range names {
			if !slices.Contains(known, name) {
				t.Errorf("%s: %s may not be expected to fail", v, name)
			}
		}
	}
	bad := filepath.Join(t.TempDir(), "list.yml")
	if err := os.WriteFile(bad, []byte("server:\n  # why\n  - one\n  - two\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readList(bad); err == nil {
		t.Error("an entry without a reason was read")
	}
}

func TestServerUnderTestDeniesByDefaultAndTheProxyAddsTheToken(t *testing.T) {
	proxied, direct, err := start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := refusesStrangers(direct); err != nil {
		t.Error(err)
	}
	r, err := http.Post(proxied, "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"test_simple_text"}}`))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusOK {
		t.Errorf("through the proxy: %s", r.Status)
	}
	if err := run(context.Background(), suite{node: "false", script: "none", lists: "."}); err == nil {
		t.Error("a suite that cannot run passes")
	}
}
