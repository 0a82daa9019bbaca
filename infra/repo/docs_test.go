package repo

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// anchors are the places in a document that a link can lead to, as GitHub names
// them.
func anchors(text string) map[string]bool {
	found := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^#+ +(.+)$`).FindAllStringSubmatch(text, -1) {
		name := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(m[1]), "")
		found[strings.ReplaceAll(strings.TrimSpace(name), " ", "-")] = true
	}
	return found
}

func TestEveryLinkOfADocumentLeadsSomewhere(t *testing.T) {
	links := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	code := regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
	n := 0
	for _, name := range files(t) {
		if filepath.Ext(name) != ".md" {
			continue
		}
		raw, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range links.FindAllStringSubmatch(code.ReplaceAllString(string(raw), ""), -1) {
			path, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(path, ":") {
				continue // another place's
			}
			n++
			to := filepath.Join(root, name)
			if path != "" {
				to = filepath.Join(root, filepath.Dir(name), path)
			}
			info, err := os.Stat(to)
			if err != nil {
				t.Errorf("%s: %s is not there", name, m[1])
				continue
			}
			if anchor == "" || info.IsDir() {
				continue
			}
			text, err := os.ReadFile(to)
			if err != nil {
				t.Fatal(err)
			}
			if !anchors(string(text))[anchor] {
				t.Errorf("%s: %s has no such heading", name, m[1])
			}
		}
	}
	if n < 20 {
		t.Errorf("only %d links were found", n)
	}
}

// The pictures of docs/connect come from `make pictures`, which keeps them small.
func TestEveryPictureOfTheDocumentsIsShownAndSmall(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join(root, "docs/connect/*.md"))
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, page := range pages {
		b, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(b)
	}
	pictures, err := filepath.Glob(filepath.Join(root, "docs/connect/images/*"))
	if err != nil || len(pictures) == 0 {
		t.Fatalf("no pictures: %v", err)
	}
	for _, p := range pictures {
		name := filepath.Base(p)
		if !strings.Contains(text.String(), "](images/"+name+")") {
			t.Errorf("no page shows %s", name)
		}
		if info, err := os.Stat(p); err != nil || info.Size() > 100_000 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
}
