package pages

import (
	"strings"
	"unicode/utf8"
)

// lineChange is one line of a difference: kept, removed or added.
type lineChange struct {
	Sign string // "", "-" or "+"
	Text string
	On   bool // it goes on with the line before, which is too long for a page
}

// maxRow bounds what stands in one row, in runes: a longer line goes on in the
// next.
const maxRow = 4000

// maxLines bounds what is compared: beyond it the old text stands whole before
// the new one.
const maxLines = 400

// isText reports whether a field is better compared line by line.
func (f Field) isText() bool {
	long := func(s string) bool { return strings.Contains(s, "\n") || utf8.RuneCountInString(s) > 70 }
	return long(f.Old) || long(f.New)
}

// lines compares two texts line by line, in rows that fit a page.
func lines(before, after string) []lineChange {
	var out []lineChange
	for _, l := range compare(split(before), split(after)) {
		rest := []rune(l.Text)
		for on := false; ; on = true {
			n := min(len(rest), maxRow)
			out = append(out, lineChange{l.Sign, string(rest[:n]), on})
			if rest = rest[n:]; len(rest) == 0 {
				break
			}
		}
	}
	return out
}

// compare finds what two texts have in common (longest common subsequence).
func compare(a, b []string) []lineChange {
	var out []lineChange
	if len(a) > maxLines || len(b) > maxLines {
		for _, l := range a {
			out = append(out, lineChange{Sign: "-", Text: l})
		}
		for _, l := range b {
			out = append(out, lineChange{Sign: "+", Text: l})
		}
		return out
	}
	common := make([][]int16, len(a)+1)
	for i := range common {
		common[i] = make([]int16, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			out = append(out, lineChange{Text: a[i]})
			i, j = i+1, j+1
		case i < len(a) && (j == len(b) || common[i+1][j] >= common[i][j+1]):
			out = append(out, lineChange{Sign: "-", Text: a[i]})
			i++
		default:
			out = append(out, lineChange{Sign: "+", Text: b[j]})
			j++
		}
	}
	return out
}

func split(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(value(s), "\n"), "\n")
}
