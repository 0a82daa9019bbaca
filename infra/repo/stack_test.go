package repo

import (
	"strings"
	"testing"
)

// The AWS SDK costs every start of a program that links it some milliseconds
// and megabytes (docs/decisions/010-stack-program.md).
func TestOnlyTheStackProgramAmongThoseForPeopleLinksTheAWSSDK(t *testing.T) {
	for folder, want := range map[string]bool{"cmd/intervals-mcp": false, "cmd/intervals-mcp-stack": true} {
		found := ""
		for _, p := range linked(t, folder) {
			if strings.HasPrefix(p.ImportPath, "github.com/aws/aws-sdk-go-v2") {
				found = p.ImportPath
			}
		}
		if (found != "") != want {
			t.Errorf("%s links %q", folder, found)
		}
	}
}
