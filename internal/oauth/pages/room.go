package pages

// A page has room for so much of differences, in bytes as they will be
// written: what does not fit stands on the next page, or on the change's own.
const (
	roomOfOne  = 30 << 10 // the page of one change
	roomOfList = 16 << 10 // all differences of a list together
)

// room is what is left on a page that lists changes.
type room struct{ left int }

func newRoom() *room { return &room{roomOfList} }

// shown is the part of a change's objects that a page shows.
type shown struct {
	Objects     []Object
	First, Last int // counted from 1
	Total       int
	Prev, Next  int // where neighbouring parts begin, -1 = there is none
}

// show takes as many objects from one on as the page of one change has room
// for, and at least one.
func show(objects []Object, from int) shown {
	if from < 0 || from >= len(objects) {
		from = 0
	}
	end, left := from, roomOfOne
	for ; end < len(objects); end++ {
		left -= objects[end].size()
		if left < 0 && end > from {
			break
		}
	}
	s := shown{Objects: objects[from:end], First: from + 1, Last: end, Total: len(objects), Prev: -1, Next: -1}
	if end < len(objects) {
		s.Next = end
	}
	if from > 0 {
		s.Prev = prev(objects, from)
	}
	return s
}

// showAll takes all objects of a change or, when the list has no room for them,
// none.
func showAll(r *room, objects []Object) shown {
	size := 0
	for _, o := range objects {
		if size += o.size(); size > r.left {
			return shown{Total: len(objects)}
		}
	}
	r.left -= size
	return shown{Objects: objects, Total: len(objects)}
}

// prev finds where the part before one begins, by the same measure backwards.
func prev(objects []Object, from int) int {
	left := roomOfOne
	for from > 0 {
		left -= objects[from-1].size()
		if left < 0 {
			break
		}
		from--
	}
	return max(from, 0)
}

// size estimates how many bytes an object takes on the page.
func (o Object) size() int {
	n := 500 + len(o.Title) + len(o.Undo)
	for _, f := range o.Fields {
		n += 160 + escaped(f.Label)
		if f.isText() {
			for _, l := range lines(f.Old, f.New) {
				n += 40 + escaped(l.Text)
			}
			continue
		}
		n += escaped(value(f.Old)) + escaped(value(f.New))
	}
	return n
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
