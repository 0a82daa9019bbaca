package tools

import (
	"fmt"
	"strings"
	"testing"

	"intervals-mcp/internal/intervals/fake"
)

func TestCustomItemsAreListedInShort(t *testing.T) {
	d := sampleData(t)
	d.Athletes[0].CustomItems[0]["description"] = "From\nthe band\u202e"
	text, out := newWorld(t, d, sampleNow).ok(t, "get_custom_items", nil)
	says(t, text, "Custom Items:", `7001 INPUT_FIELD "Whoop strain" WhoopStrain PRIVATE: "From the band"`, `7003 FITNESS_CHART "CTL chart" PRIVATE`)
	if items := records(out, "items"); len(items) != 3 || items[0]["id"] != 7001.0 || items[0]["code"] != "WhoopStrain" {
		t.Errorf("items = %v", items)
	}
}

func TestCustomItemPagesHoldEachItemOnce(t *testing.T) {
	d := sampleData(t)
	for i := range 20 {
		d.Athletes[0].CustomItems = append(d.Athletes[0].CustomItems, fake.Object{"id": float64(8000 + i), "type": "INPUT_FIELD", "name": fmt.Sprint("Field ", i), "index": 3.0})
	}
	w := newWorld(t, d, sampleNow)
	args, seen := map[string]any{"limit": 7}, map[any]bool{}
	for range 5 {
		_, out := w.ok(t, "get_custom_items", args)
		for _, item := range records(out, "items") {
			seen[item["id"]] = true
		}
		if args["cursor"] = out["next_cursor"]; args["cursor"] == nil {
			break
		}
	}
	if len(seen) != 23 {
		t.Errorf("%d items, want 23", len(seen))
	}
}

func TestACustomItemComesWithItsContent(t *testing.T) {
	w := newWorld(t, sampleData(t), sampleNow)
	text, out := w.ok(t, "get_custom_item_by_id", map[string]any{"item_id": "7003"})
	says(t, text, "Custom Item Details:", "ID: 7003", `Name: "CTL chart"`, "Type: FITNESS_CHART", "Visibility: PRIVATE", "Index: 2", "Hide Script: false", "Content:\n{\n  \"")
	if content := out["item"].(map[string]any)["content"].(map[string]any); content["layout"].(map[string]any)["height"] != 240.0 {
		t.Errorf("content = %v", content)
	}
	w.fails(t, "get_custom_item_by_id", map[string]any{"item_id": 1}, "Error fetching custom item: ", "No custom item found with ID 1.", "get_custom_items lists the ids")
}

func TestAHugeContentIsCut(t *testing.T) {
	d := sampleData(t)
	d.Athletes[0].CustomItems[2]["content"] = fake.Object{"script": strings.Repeat("x = 1; ", 20_000)}
	w := newWorld(t, d, sampleNow)
	a := w.call(t, "get_custom_item_by_id", map[string]any{"item_id": 7003})
	if len(a.Text)+len(a.Structured) > 2*textBudget || !strings.Contains(a.Text, "content cut") || !strings.Contains(string(a.Structured), `"content_cut":true`) {
		t.Errorf("%d and %d bytes", len(a.Text), len(a.Structured))
	}
}

func TestNoCustomItemsAreSaidInTheReferencesWords(t *testing.T) {
	d := sampleData(t)
	d.Athletes[0].CustomItems = nil
	delete(d.Athletes[0].Athlete, "custom_items")
	if text, _ := newWorld(t, d, sampleNow).ok(t, "get_custom_items", nil); text != "No custom items found for athlete i12345." {
		t.Errorf("text = %q", text)
	}
}
