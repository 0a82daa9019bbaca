package pages

// A page has room for so much of differences, in bytes as they will be
// written: what does not fit stands on the next page, or on the change's own.
// Nothing is ever left out: what a person approves they can read whole.
const (
	roomOfOne  = 30 << 10 // the page of one change
	roomOfList = 16 << 10 // all differences of a list together
)

// room is what is left on a page that lists changes.
type room struct{ left int }

func newRoom() *room { return &room{roomOfList} }

// part is an object as a page shows it, or the piece of one that is longer than
// a page.
type part struct {
	Object
	Rows      []row
	Continued bool // another piece of it came before
	size      int
}

// row is one field of a part; of a text the lines that stand in this part.
type row struct {
	Field
	Lines     []lineChange // nil = a short value
	Continued bool
}

// shown is the part of a change's objects that a page shows.
type shown struct {
	Parts       []part
	First, Last int // counted from 1
	Total       int
	Whole       bool
	Prev, Next  int // where neighbouring parts begin, -1 = there is none
}

// show takes as many parts from one on as the page of one change has room for,
// and at least one.
func show(objects []Object, from int) shown {
	var parts []part
	for _, o := range objects {
		parts = append(parts, o.cut()...)
	}
	if from < 0 || from >= len(parts) {
		from = 0
	}
	end, left := from, roomOfOne
	for ; end < len(parts); end++ {
		left -= parts[end].size
		if left < 0 && end > from {
			break
		}
	}
	s := shown{Parts: parts[from:end], First: from + 1, Last: end, Total: len(parts), Whole: end-from == len(parts), Prev: -1, Next: -1}
	if end < len(parts) {
		s.Next = end
	}
	if from > 0 {
		s.Prev = prev(parts, from)
	}
	return s
}

// showAll takes all objects of a change or, when the list has no room for them,
// none.
func showAll(r *room, objects []Object) shown {
	s, size := shown{Total: len(objects), Whole: true}, 0
	for _, o := range objects {
		for _, p := range o.cut() {
			size += p.size
			s.Parts = append(s.Parts, p)
		}
		if size > r.left {
			return shown{Total: len(objects)}
		}
	}
	r.left -= size
	return s
}

// prev finds where the part before one begins, by the same measure backwards.
func prev(parts []part, from int) int {
	left := roomOfOne
	for from > 0 {
		left -= parts[from-1].size
		if left < 0 {
			break
		}
		from--
	}
	return max(from, 0)
}

// cut makes the parts of an object: one, unless it is longer than a page.
func (o Object) cut() []part {
	head := 500 + escaped(o.Kind) + escaped(o.Title) + escaped(o.Undo)
	parts := []part{{Object: o, size: head}}
	// fits makes sure that the last part has room, if need be by a new one.
	fits := func(size int) (last *part, fresh bool) {
		last = &parts[len(parts)-1]
		if last.size+size > roomOfOne && last.size > head {
			parts = append(parts, part{Object: o, Continued: true, size: head})
			last, fresh = &parts[len(parts)-1], true
		}
		last.size += size
		return last, fresh
	}
	for _, f := range o.Fields {
		size := 160 + escaped(f.Label)
		if !f.isText() {
			last, _ := fits(size + escaped(value(f.Old)) + escaped(value(f.New)))
			last.Rows = append(last.Rows, row{Field: f})
			continue
		}
		for i, l := range lines(f.Old, f.New) {
			long := 60 + escaped(l.Text)
			if i == 0 {
				long += size
			}
			last, fresh := fits(long)
			if fresh {
				last.size += size
			}
			if i == 0 || fresh {
				last.Rows = append(last.Rows, row{Field: f, Continued: i > 0})
			}
			in := &last.Rows[len(last.Rows)-1]
			in.Lines = append(in.Lines, l)
		}
	}
	return parts
}

// escaped is the length of a text in HTML.
func escaped(s string) int {
	n := len(s)
	for i := range len(s) {
		switch s[i] {
		case '&', '<', '>', '"', '\'', '+':
			n += 4
		}
	}
	return n
}
