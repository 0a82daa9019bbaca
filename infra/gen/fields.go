package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// source is what the syntax of internal/tools, and of the packages whose types
// its results use, tells of results: which tool's handler returns which
// struct, and what its fields are called.
type source struct {
	root     string
	packages map[string]*pkg // by folder
	results  map[string]typed
}

type pkg struct {
	folder  string
	imports map[string]string // name -> folder, of this module's packages
	types   map[string]*ast.TypeSpec
	funcs   map[string]*ast.FuncDecl
	methods map[string]bool // "type.method"
}

// typed is a type expression and the package it stands in.
type typed struct {
	in   *pkg
	expr ast.Expr
}

// row is one line of a field table. Path is "" for the top level.
type row struct{ path, kind, doc string }

const modulePath = "intervals-mcp/"

func parse(root string) (*source, error) {
	s := &source{root: root, packages: map[string]*pkg{}, results: map[string]typed{}}
	p, files, err := s.load("internal/tools")
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			lit, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}
			name, run := "", ast.Expr(nil)
			for _, e := range lit.Elts {
				kv, ok := e.(*ast.KeyValueExpr)
				if !ok {
					return true
				}
				switch key, _ := kv.Key.(*ast.Ident); {
				case key == nil:
				case key.Name == "Name":
					if v, ok := kv.Value.(*ast.BasicLit); ok {
						name, _ = strconv.Unquote(v.Value)
					}
				case key.Name == "run":
					run = kv.Value
				}
			}
			if r := p.result(run); name != "" && r != nil {
				s.results[name] = typed{p, r}
			}
			return true
		})
	}
	return s, nil
}

// result finds the result type of what handle(...) or a like function adapts:
// the first result of the handler, wherever among the arguments it stands.
func (p *pkg) result(run ast.Expr) ast.Expr {
	switch e := run.(type) {
	case *ast.CallExpr:
		for _, arg := range e.Args {
			if r := p.result(arg); r != nil {
				return r
			}
		}
		return p.result(e.Fun)
	case *ast.FuncLit:
		return first(e.Type)
	case *ast.IndexExpr:
		return p.result(e.X)
	case *ast.SelectorExpr:
		return p.result(e.Sel)
	case *ast.Ident:
		if f := p.funcs[e.Name]; f != nil {
			return first(f.Type)
		}
	}
	return nil
}

// first gives a handler's result type; of a function that makes a handler,
// that handler's.
func first(f *ast.FuncType) ast.Expr {
	if f.Results == nil || len(f.Results.List) == 0 {
		return nil
	}
	t := f.Results.List[0].Type
	if made, ok := t.(*ast.FuncType); ok {
		return first(made)
	}
	if id, ok := t.(*ast.Ident); ok && id.Name == "Result" {
		return nil // an interface: the declaration's keys are all there is
	}
	return t
}

func (s *source) load(folder string) (*pkg, []*ast.File, error) {
	p := &pkg{folder: folder, imports: map[string]string{}, types: map[string]*ast.TypeSpec{}, funcs: map[string]*ast.FuncDecl{}, methods: map[string]bool{}}
	s.packages[folder] = p
	names, err := filepath.Glob(filepath.Join(s.root, folder, "*.go"))
	if err != nil {
		return nil, nil, err
	}
	var files []*ast.File
	fset := token.NewFileSet()
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		b, err := os.ReadFile(name)
		if err != nil {
			return nil, nil, err
		}
		f, err := parser.ParseFile(fset, name, b, parser.ParseComments)
		if err != nil {
			return nil, nil, err
		}
		files = append(files, f)
		for _, imp := range f.Imports {
			if path, err := strconv.Unquote(imp.Path.Value); err == nil && strings.HasPrefix(path, modulePath) {
				local := filepath.Base(path)
				if imp.Name != nil {
					local = imp.Name.Name
				}
				p.imports[local] = strings.TrimPrefix(path, modulePath)
			}
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					p.funcs[d.Name.Name] = d
				} else if recv := typeName(d.Recv.List[0].Type); recv != "" {
					p.methods[recv+"."+d.Name.Name] = true
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if t, ok := spec.(*ast.TypeSpec); ok {
						if t.Doc == nil {
							t.Doc = d.Doc
						}
						p.types[t.Name.Name] = t
					}
				}
			}
		}
	}
	if len(files) == 0 {
		return nil, nil, fmt.Errorf("no Go files in %s", folder)
	}
	return p, files, nil
}

func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.IndexExpr:
		return typeName(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// fields gives the rows of a tool's result; none when its handler's result
// type cannot be seen.
func (s *source) fields(tool string) []row {
	t, ok := s.results[tool]
	if !ok {
		return nil
	}
	var rows []row
	s.walk(t, "", &rows, map[string]bool{}, 0)
	return rows
}

// walk adds the rows of a struct; path is the prefix of its fields.
func (s *source) walk(t typed, path string, rows *[]row, open map[string]bool, depth int) {
	in, spec := s.resolve(t)
	if spec == nil || depth > 4 {
		return
	}
	id := in.folder + "." + spec.Name.Name
	st, ok := spec.Type.(*ast.StructType)
	if !ok || open[id] || in.methods[spec.Name.Name+".MarshalJSON"] {
		if named, ok := spec.Type.(*ast.Ident); ok {
			s.walk(typed{in, named}, path, rows, open, depth)
		}
		return
	}
	open = maps.Clone(open)
	open[id] = true
	for _, f := range st.Fields.List {
		name, tagged := tag(f)
		doc := comment(f)
		if len(f.Names) == 0 && !tagged { // embedded: its fields are ours
			s.walk(typed{in, f.Type}, path, rows, open, depth)
			continue
		}
		if name == "-" || !tagged && !f.Names[0].IsExported() {
			continue
		}
		if !tagged {
			name = f.Names[0].Name
		}
		kind, elem, list := s.kind(typed{in, f.Type})
		if doc == "" {
			if i, sp := s.resolve(elem); sp != nil && i != nil {
				doc = sentence(sp.Doc.Text(), sp.Name.Name)
			}
		}
		doc = cmp.Or(doc, unitOf(name))
		at := path + name
		*rows = append(*rows, row{at, kind, doc})
		if list {
			at += "[]"
		}
		s.walk(elem, at+".", rows, open, depth+1)
	}
}

// kind words a type and gives the struct inside it.
func (s *source) kind(t typed) (word string, elem typed, list bool) {
	switch e := t.expr.(type) {
	case *ast.StarExpr:
		return s.kind(typed{t.in, e.X})
	case *ast.ArrayType:
		inner, elem, _ := s.kind(typed{t.in, e.Elt})
		return "list of " + inner, elem, true
	case *ast.MapType:
		inner, elem, _ := s.kind(typed{t.in, e.Value})
		return "object of " + inner, typed{elem.in, nil}, false
	case *ast.InterfaceType:
		return "any", typed{}, false
	case *ast.StructType:
		return "object", t, false
	case *ast.Ident:
		switch {
		case e.Name == "string":
			return "text", typed{}, false
		case e.Name == "bool":
			return "boolean", typed{}, false
		case e.Name == "any":
			return "any", typed{}, false
		case strings.HasPrefix(e.Name, "int"), strings.HasPrefix(e.Name, "uint"):
			return "integer", typed{}, false
		case strings.HasPrefix(e.Name, "float"):
			return "number", typed{}, false
		}
	case *ast.SelectorExpr:
		if x, ok := e.X.(*ast.Ident); ok && t.in.imports[x.Name] == "" {
			switch x.Name + "." + e.Sel.Name {
			case "json.RawMessage":
				return "any", typed{}, false
			case "time.Time":
				return "time", typed{}, false
			}
			return "any", typed{}, false
		}
	}
	in, spec := s.resolve(t)
	if spec == nil {
		return "any", typed{}, false
	}
	if in.methods[spec.Name.Name+".MarshalJSON"] {
		return cmp.Or(written[in.folder+"."+spec.Name.Name], "object"), typed{}, false
	}
	if _, ok := spec.Type.(*ast.StructType); ok {
		return "object", t, false
	}
	return s.kind(typed{in, spec.Type})
}

// written words the types that write their own JSON.
var written = map[string]string{
	"internal/intervals.Object": "object as Intervals.icu sent it",
	"internal/tools.series":     "list of number",
}

// resolve finds the declaration that a type expression names.
func (s *source) resolve(t typed) (*pkg, *ast.TypeSpec) {
	switch e := t.expr.(type) {
	case *ast.StarExpr:
		return s.resolve(typed{t.in, e.X})
	case *ast.IndexExpr:
		return s.resolve(typed{t.in, e.X})
	case *ast.Ident:
		return t.in, t.in.types[e.Name]
	case *ast.StructType:
		return t.in, &ast.TypeSpec{Name: ast.NewIdent("struct"), Type: e}
	case *ast.SelectorExpr:
		x, ok := e.X.(*ast.Ident)
		if !ok || t.in.imports[x.Name] == "" {
			return nil, nil
		}
		folder := t.in.imports[x.Name]
		p := s.packages[folder]
		if p == nil {
			var err error
			if p, _, err = s.load(folder); err != nil {
				return nil, nil
			}
		}
		return p, p.types[e.Sel.Name]
	}
	return nil, nil
}

// tag gives a field's JSON name; tagged is false when it has none.
func tag(f *ast.Field) (name string, tagged bool) {
	if f.Tag == nil {
		return "", false
	}
	raw, err := strconv.Unquote(f.Tag.Value)
	if err != nil {
		return "", false
	}
	v, ok := reflect.StructTag(raw).Lookup("json")
	if !ok {
		return "", false
	}
	name, _, _ = strings.Cut(v, ",")
	return name, name != ""
}

// comment is what stands beside or above a field.
func comment(f *ast.Field) string {
	return cmp.Or(oneLine(f.Comment.Text()), oneLine(f.Doc.Text()))
}

// sentence is the first sentence of a type's comment, without its name.
func sentence(doc, name string) string {
	doc = oneLine(doc)
	if i := strings.Index(doc, ". "); i > 0 {
		doc = doc[:i]
	}
	doc = strings.TrimPrefix(doc, name+" is ")
	if strings.HasPrefix(doc, name) {
		return ""
	}
	return strings.TrimSuffix(doc, ".")
}

func oneLine(s string) string { return strings.Join(slices.Collect(strings.FieldsSeq(s)), " ") }
