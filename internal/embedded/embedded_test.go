package embedded

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/audit/audittest"
)

// TestMain runs the second process of a test of several when the environment
// says so.
func TestMain(m *testing.M) {
	if dir := os.Getenv("EMBEDDED_TEST_DIR"); dir != "" {
		if handle := os.Getenv("EMBEDDED_TEST_HANDLE"); handle != "" {
			os.Exit(useOneElsewhere(dir, handle, os.Getenv("EMBEDDED_TEST_FROM")))
		}
		os.Exit(appendMany(dir, os.Getenv("EMBEDDED_TEST_USER")))
	}
	os.Exit(m.Run())
}

const perProcess = 50

func appendMany(dir, user string) int {
	s := New(dir)
	for i := range perProcess {
		if err := s.Audit().Append(context.Background(), []audit.Item{audittest.Head(user, i)}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	if err := s.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func TestSQLiteIsALog(t *testing.T) {
	audittest.Suite(t, func(t *testing.T) audit.Log {
		s := New(t.TempDir())
		t.Cleanup(func() { s.Close() }) //nolint:errcheck // a test's folder goes anyway
		return s.Audit()
	})
}

func TestNothingIsOpenedBeforeItIsNeeded(t *testing.T) {
	s := New(filepath.Join(t.TempDir(), "new", "folder"))
	s.Audit()
	if _, err := os.Stat(s.Path()); !os.IsNotExist(err) {
		t.Errorf("the file is there: %v", err)
	}
}

func TestTheFileIsTheOwnersAlone(t *testing.T) {
	s := New(filepath.Join(t.TempDir(), "new"))
	defer s.Close() //nolint:errcheck // a test's folder goes anyway
	if err := s.Audit().Append(t.Context(), []audit.Item{audittest.Head("u1", 0)}); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(s.Path() + "*")
	if err != nil || len(files) < 2 {
		t.Fatalf("files = %v, %v", files, err)
	}
	for _, f := range files {
		if info, err := os.Stat(f); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: mode %v, %v", f, info.Mode(), err)
		}
	}
}

func TestTwoProcessesShareTheFile(t *testing.T) {
	dir := t.TempDir()
	var cmds []*exec.Cmd
	for _, user := range []string{"u1", "u2"} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "EMBEDDED_TEST_DIR="+dir, "EMBEDDED_TEST_USER="+user)
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		cmds = append(cmds, cmd)
	}
	if code := appendMany(dir, "u3"); code != 0 {
		t.Error("this process failed")
	}
	for _, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	s := New(dir)
	defer s.Close() //nolint:errcheck // a test's folder goes anyway
	for _, user := range []string{"u1", "u2", "u3"} {
		heads, err := s.Audit().Heads(t.Context(), audit.Query{User: user, Limit: 1000})
		if err != nil || len(heads) != perProcess {
			t.Errorf("%s: %d heads, %v; want %d", user, len(heads), err, perProcess)
		}
	}
}

func TestTheFileItselfRefusesChangesToTheLog(t *testing.T) {
	s := New(t.TempDir())
	defer s.Close() //nolint:errcheck // a test's folder goes anyway
	if err := s.Audit().Append(t.Context(), []audit.Item{audittest.Head("u1", 0)}); err != nil {
		t.Fatal(err)
	}
	db, err := s.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("UPDATE audit SET item = '{}'"); err == nil || !strings.Contains(err.Error(), "append-only") {
		t.Errorf("update: %v", err)
	}
}

func TestAFolderMayBeRelativeAndHaveAnyName(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, dir := range []string{"data", "./a b", filepath.Join("50%", "what?#")} {
		s := New(dir)
		if err := s.Audit().Append(t.Context(), []audit.Item{audittest.Head("u1", 0)}); err != nil {
			t.Errorf("%s: %v", dir, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if info, err := os.Stat(filepath.Join(dir, FileName)); err != nil || info.Size() == 0 {
			t.Errorf("%s: the file is elsewhere: %v", dir, err)
		}
	}
}

func TestAFileOfANewerProgramIsRefused(t *testing.T) {
	s := New(t.TempDir())
	db, err := s.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("PRAGMA user_version = 99"); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Audit().Heads(t.Context(), audit.Query{User: "u1"}); err == nil || !strings.Contains(err.Error(), "newer version") {
		t.Errorf("got %v", err)
	}
}

func TestAFolderThatCannotBeMadeIsAClearError(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	err := New(filepath.Join(file, "data")).Audit().Append(t.Context(), []audit.Item{audittest.Head("u1", 0)})
	if err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("got %v", err)
	}
}
