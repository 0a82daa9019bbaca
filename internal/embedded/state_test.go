package embedded

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/state"
	"intervals-mcp/internal/state/statetest"
)

func TestSQLiteIsAStateStore(t *testing.T) {
	statetest.Suite(t, func(t *testing.T, clock *statetest.Clock) (state.Store, audit.Log) {
		s := opened(t)
		return s.State(clock.Now), s.Audit()
	})
}

func kept(t *testing.T, s *Store) (state.Store, *statetest.Clock, state.Waiting) {
	t.Helper()
	clock, p := statetest.NewClock(), statetest.Plan("u1", 0)
	store := s.State(clock.Now)
	if err := store.Keep(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	return store, clock, p
}

// useOne uses a confirmation for each of many changes and says how often that
// was possible. It is also what the second process does.
func useOne(dir, handle string, begin int) (n int) {
	s := New(dir)
	defer s.Close() //nolint:errcheck // a test's folder goes anyway
	for i := range 20 {
		err := s.State(statetest.NewClock().Now).Use(context.Background(), "u1", handle, statetest.Head("u1", begin+i))
		switch {
		case err == nil:
			n++
		case !errors.Is(err, state.ErrUsed):
			fmt.Fprintln(os.Stderr, err)
			return -1
		}
	}
	return n
}

// useOneElsewhere is useOne in a process that TestMain was told to be.
func useOneElsewhere(dir, handle, begin string) (status int) {
	from, err := strconv.Atoi(begin)
	if err != nil {
		return 2
	}
	fmt.Println(useOne(dir, handle, from))
	return 0
}

func TestOfTwoProcessesOneUsesAConfirmation(t *testing.T) {
	dir := t.TempDir()
	s := New(dir)
	_, _, p := kept(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	var outs []*bytes.Buffer
	var cmds []*exec.Cmd
	for i := range 2 {
		cmd, out := exec.Command(os.Args[0]), &bytes.Buffer{}
		cmd.Env = append(os.Environ(), "EMBEDDED_TEST_DIR="+dir, "EMBEDDED_TEST_HANDLE="+p.Handle, fmt.Sprintf("EMBEDDED_TEST_FROM=%d", 100*(i+1)))
		cmd.Stderr, cmd.Stdout = os.Stderr, out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		cmds, outs = append(cmds, cmd), append(outs, out)
	}
	n := useOne(dir, p.Handle, 0)
	for i, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
		var more int
		if _, err := fmt.Sscan(outs[i].String(), &more); err != nil {
			t.Errorf("%q: %v", outs[i], err)
		}
		n += more
	}
	again := New(dir)
	defer again.Close() //nolint:errcheck // a test's folder goes anyway
	heads, err := again.Audit().Heads(t.Context(), audit.Query{User: "u1"})
	if n != 1 || err != nil || len(heads) != 1 {
		t.Errorf("used %d times, %d heads, %v", n, len(heads), err)
	}
}

func TestTwoHandlesOfAFileSeeEachOthersPlans(t *testing.T) {
	dir := t.TempDir()
	one, two := New(dir), New(dir)
	t.Cleanup(func() { one.Close(); two.Close() }) //nolint:errcheck // a test's folder goes anyway
	first, clock, p := kept(t, one)
	second := two.State(clock.Now)
	if w, err := second.Get(t.Context(), "u1", p.Handle); err != nil || !bytes.Equal(w.Plan, p.Plan) {
		t.Fatalf("%+v, %v", w, err)
	}
	errs := make([]error, 20)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			errs[i] = []state.Store{first, second}[i%2].Use(t.Context(), "u1", p.Handle, statetest.Head("u1", i))
		})
	}
	wg.Wait()
	n := 0
	for _, err := range errs {
		if err == nil {
			n++
		} else if !errors.Is(err, state.ErrUsed) {
			t.Error(err)
		}
	}
	if n != 1 {
		t.Errorf("used %d times", n)
	}
}

func TestAUseWhoseHeadCannotBeWrittenSpendsNothing(t *testing.T) {
	s := opened(t)
	store, _, p := kept(t, s)
	db, err := s.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(`CREATE TRIGGER full BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`); err != nil {
		t.Fatal(err)
	}
	if err := store.Use(t.Context(), "u1", p.Handle, statetest.Head("u1", 0)); err == nil || !strings.Contains(err.Error(), "disk is full") {
		t.Errorf("used: %v", err)
	}
	if w, err := store.Get(t.Context(), "u1", p.Handle); err != nil || !w.Change.IsZero() || !bytes.Equal(w.Plan, p.Plan) {
		t.Errorf("%+v, %v", w, err)
	}
	if _, err := db.Exec(`DROP TRIGGER full`); err != nil {
		t.Fatal(err)
	}
	if err := store.Use(t.Context(), "u1", p.Handle, statetest.Head("u1", 0)); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

func TestWhatIsOverIsDeletedByWhoeverWritesNext(t *testing.T) {
	s := opened(t)
	store, clock, p := kept(t, s)
	used := statetest.Plan("u1", 1)
	if err := store.Keep(t.Context(), used); err != nil {
		t.Fatal(err)
	}
	if err := store.Use(t.Context(), "u1", used.Handle, statetest.Head("u1", 0)); err != nil {
		t.Fatal(err)
	}
	rows := func() (plans, bodies, rates int) {
		db, err := s.open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := db.QueryRow(`SELECT (SELECT count(*) FROM plans), (SELECT count(plan) FROM plans), (SELECT count(*) FROM rates)`).Scan(&plans, &bodies, &rates); err != nil {
			t.Fatal(err)
		}
		return plans, bodies, rates
	}
	allow := func(key string) {
		if ok, _, err := store.Allow(t.Context(), key, 1, state.PlanLife); err != nil || !ok {
			t.Fatalf("%v, %v", ok, err)
		}
	}
	allow("a")
	if plans, bodies, rates := rows(); plans != 2 || bodies != 1 || rates != 1 { // a used plan's body is gone at once
		t.Errorf("%d plans, %d of them whole, %d rates", plans, bodies, rates)
	}
	clock.Set(p.Expires)
	allow("b")
	if plans, bodies, rates := rows(); plans != 1 || bodies != 0 || rates != 1 {
		t.Errorf("%d plans, %d of them whole, %d rates", plans, bodies, rates)
	}
	clock.Set(p.Created.Add(state.UsedLife))
	if err := store.Keep(t.Context(), statetest.Plan("u2", 24*60)); err != nil {
		t.Fatal(err)
	}
	if plans, bodies, rates := rows(); plans != 1 || bodies != 1 || rates != 0 {
		t.Errorf("%d plans, %d of them whole, %d rates", plans, bodies, rates)
	}
}

func TestAFileOfAnEarlierReleaseLearnsToKeepPlans(t *testing.T) {
	before := slices.Index(migrations, stateTables)
	if before < 1 {
		t.Fatalf("the tables are made by migration %d", before)
	}
	s := opened(t)
	if err := s.makeFile(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", s.Path())
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range append(slices.Clone(migrations[:before]), fmt.Sprintf("PRAGMA user_version = %d", before)) {
		if _, err := db.Exec(q); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	kept(t, s)
}
