package signin

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

// TestMain leaves out what wants the official clients and the built program,
// which is no test for every `go test ./...`: `make signin` runs it.
func TestMain(m *testing.M) {
	flag.Parse()
	if os.Getenv("SIGNIN") == "" {
		fmt.Println("the official clients are run by `make signin`")
		if err := flag.Set("test.skip", "^Test(Clients|Conformance|DoneWhen)_"); err != nil {
			panic(err)
		}
	}
	code := m.Run()
	for _, dir := range folders {
		_ = os.RemoveAll(dir)
	}
	os.Exit(code)
}
