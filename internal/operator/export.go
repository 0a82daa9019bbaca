package operator

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"intervals-mcp/internal/audit"
)

func auditExportFlags(c *command) {
	auditFilterFlags(c)
	c.fs.StringVar(&c.opt.format, "format", "", "")
	c.fs.StringVar(&c.opt.output, "output", "", "")
}

// auditExport writes every item of the log, newest change first.
func auditExport(ctx context.Context, c *command) error {
	if c.opt.format != "jsonl" && c.opt.format != "csv" {
		return misuse("--format must be jsonl or csv, not %q", c.opt.format)
	}
	f, err := c.filter(c.stores.Retention + 24*time.Hour)
	if err != nil {
		return err
	}
	if c.opt.output == "" {
		_, err := c.export(ctx, f, c.Stdout)
		return err
	}
	n, err := c.exportFile(ctx, f)
	if err == nil {
		c.note("%s written to %s", count(n, "item", "items"), c.opt.output)
	}
	return err
}

// exportFile writes a file for its owner alone, which is there wholly or not at
// all.
func (c *command) exportFile(ctx context.Context, f filter) (n int, err error) {
	file, err := os.CreateTemp(filepath.Dir(c.opt.output), ".export-*") // mode 0600
	if err != nil {
		return 0, misuse("--output %s: %v", c.opt.output, reason(err))
	}
	defer os.Remove(file.Name()) //nolint:errcheck // gone already after the rename
	n, err = c.export(ctx, f, file)
	if err = errors.Join(err, file.Close()); err != nil {
		return 0, err
	}
	if err := os.Rename(file.Name(), c.opt.output); err != nil {
		return 0, misuse("--output %s: %v", c.opt.output, reason(err))
	}
	return n, nil
}

// reason drops the path that a file's error repeats.
func reason(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		return link.Err
	}
	return err
}

// atOnce is how many changes are read at the same time.
const atOnce = 8

func (c *command) export(ctx context.Context, f filter, w io.Writer) (items int, err error) {
	out := newItemWriter(c.opt.format, w)
	if err := out.begin(); err != nil {
		return 0, err
	}
	p := c.progress()
	defer p.clear()
	var batch []entry
	flush := func() error {
		all, err := readChanges(ctx, c.stores.Audit, batch)
		if err != nil {
			return err
		}
		for _, item := range all {
			if err := out.item(item); err != nil {
				return err
			}
		}
		items += len(all)
		batch = batch[:0]
		return nil
	}
	for ch, err := range changes(ctx, c.stores.Audit, f, c.Now(), func(day string) { p.show("%s, %d items", day, items) }) {
		if err != nil {
			return items, err
		}
		p.show("%s, %d items", ch.Day(), items)
		if batch = append(batch, ch); len(batch) == atOnce*4 {
			if err := flush(); err != nil {
				return items, err
			}
		}
	}
	if err := flush(); err != nil {
		return items, err
	}
	return items, out.end()
}

// readChanges reads the items of changes, in their order.
func readChanges(ctx context.Context, log audit.Log, list []entry) ([]audit.Item, error) {
	found, errs := make([][]audit.Item, len(list)), make([]error, len(list))
	var wg sync.WaitGroup
	slots := make(chan struct{}, atOnce)
	for i, ch := range list {
		slots <- struct{}{}
		wg.Go(func() {
			found[i], errs[i] = log.Change(ctx, ch.User, ch.Change)
			<-slots
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	for _, items := range found {
		slices.SortFunc(items, func(a, b audit.Item) int {
			if a.Phase != b.Phase {
				return strings.Compare(string(a.Phase), string(b.Phase)) // intent, outcome
			}
			return a.N - b.N
		})
	}
	return slices.Concat(found...), nil
}

// itemWriter writes items as lines of JSON or as a table for a spreadsheet.
type itemWriter struct {
	json *json.Encoder
	csv  *csv.Writer
}

func newItemWriter(format string, w io.Writer) *itemWriter {
	if format == "csv" {
		return &itemWriter{csv: csv.NewWriter(w)}
	}
	return &itemWriter{json: newJSONEncoder(w)}
}

var columns = []string{"time", "change_id", "n", "phase", "user", "athlete", "connection", "client", "tool", "request_id", "summary", "arguments", "targets",
	"kind", "action", "target", "undoable", "status", "upstream_status", "reason", "duration_ms", "before", "after", "expires", "schema",
	"parent", "cleared", "replaces", "paired", "undoes"}

func (w *itemWriter) begin() error {
	if w.csv == nil {
		return nil
	}
	return w.csv.Write(columns)
}

func (w *itemWriter) item(i audit.Item) error {
	if w.csv == nil {
		return w.json.Encode(i)
	}
	row := []string{i.Time.UTC().Format(time.RFC3339Nano), i.Change.String(), strconv.Itoa(i.N), string(i.Phase), i.User, i.Athlete, i.Connection, i.Client, i.Tool, i.RequestID,
		i.Summary, string(i.Arguments), strings.Join(i.Targets, " "), i.Kind, i.Action, i.Target, i.Undoable, string(i.Status), number(i.UpstreamStatus), i.Reason,
		number(int(i.DurationMS)), string(i.Before), string(i.After), i.Expires.UTC().Format(time.RFC3339), strconv.Itoa(i.Schema),
		i.Parent, strings.Join(i.Cleared, " "), i.Replaces, strings.Join(i.Paired, " "), idWords(i.Undoes)}
	for n := range row {
		row[n] = harmless(row[n])
	}
	return w.csv.Write(row)
}

func idWords(ids []audit.ID) string {
	words := make([]string, len(ids))
	for i, id := range ids {
		words[i] = id.String()
	}
	return strings.Join(words, " ")
}

func (w *itemWriter) end() error {
	if w.csv == nil {
		return nil
	}
	w.csv.Flush()
	return w.csv.Error()
}

func number(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

// harmless keeps a spreadsheet from taking foreign text for a formula, which some
// also see in the full-width signs (OWASP, CSV Injection).
func harmless(cell string) string {
	if first, _ := utf8.DecodeRuneInString(cell); cell != "" && strings.ContainsRune("=+-@＝＋－＠\t\r\n", first) {
		return "'" + cell
	}
	return cell
}
