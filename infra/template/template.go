package template

import (
	"fmt"
	"os"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Template is template.yaml.
type Template struct {
	Parameters map[string]Parameter `yaml:"Parameters"`
	Globals    map[string]any       `yaml:"Globals"`
	Resources  map[string]Resource  `yaml:"Resources"`
	Outputs    map[string]Output    `yaml:"Outputs"`
}

// Parameter is a template's parameter.
type Parameter struct {
	Default        any    `yaml:"Default"`
	NoEcho         any    `yaml:"NoEcho"`
	AllowedValues  []any  `yaml:"AllowedValues"`
	AllowedPattern string `yaml:"AllowedPattern"`
	MinValue       any    `yaml:"MinValue"`
	MaxValue       any    `yaml:"MaxValue"`
}

// Resource is a template's resource.
type Resource struct {
	Type                string         `yaml:"Type"`
	Condition           string         `yaml:"Condition"`
	DeletionPolicy      string         `yaml:"DeletionPolicy"`
	UpdateReplacePolicy string         `yaml:"UpdateReplacePolicy"`
	Metadata            map[string]any `yaml:"Metadata"`
	Properties          map[string]any `yaml:"Properties"`
}

// Output is a template's output.
type Output struct {
	Description string `yaml:"Description"`
	Value       any    `yaml:"Value"`
}

// Load reads a template.
func Load(path string) (*Template, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var root yaml.Node
	if err := yaml.Unmarshal(b, &root); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	expand(&root)
	t := new(Template)
	if err := root.Decode(t); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// expand turns !Name value into {Fn::Name: value} ({Ref: value}, {Condition: value}).
func expand(n *yaml.Node) {
	for _, c := range n.Content {
		expand(c)
	}
	name, ok := strings.CutPrefix(n.Tag, "!")
	if !ok || strings.HasPrefix(name, "!") {
		return
	}
	value := *n
	value.Tag = map[yaml.Kind]string{yaml.ScalarNode: "!!str", yaml.SequenceNode: "!!seq", yaml.MappingNode: "!!map"}[n.Kind]
	if name == "GetAtt" && n.Kind == yaml.ScalarNode {
		resource, attribute, _ := strings.Cut(n.Value, ".")
		value = yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: []*yaml.Node{scalar(resource), scalar(attribute)}}
	}
	if name != "Ref" && name != "Condition" {
		name = "Fn::" + name
	}
	*n = yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: []*yaml.Node{scalar(name), &value}, Line: n.Line}
}

func scalar(s string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s} }

// OfType gives the resources of a type by logical id.
func (t *Template) OfType(name string) map[string]Resource {
	found := map[string]Resource{}
	for id, r := range t.Resources {
		if r.Type == name {
			found[id] = r
		}
	}
	return found
}

// Property gives a function's property as SAM sees it: its own, else that of
// Globals; maps are merged.
func (t *Template) Property(function, name string) any {
	global := At(t.Globals, "Function", name)
	own := t.Resources[function].Properties[name]
	return merge(global, own)
}

func merge(global, own any) any {
	g, ok := global.(map[string]any)
	o, ok2 := own.(map[string]any)
	switch {
	case own == nil:
		return global
	case !ok || !ok2:
		return own
	}
	out := map[string]any{}
	for k, v := range g {
		out[k] = v
	}
	for k, v := range o {
		out[k] = merge(g[k], v)
	}
	return out
}

// Environment gives the variables a function is given.
func (t *Template) Environment(function string) map[string]any {
	vars, _ := At(t.Property(function, "Environment"), "Variables").(map[string]any)
	return vars
}

// Route is a way from the gateway to a function.
type Route struct {
	Key        string // "ANY /mcp", "$default"
	Function   string // logical id
	Authorizer string // "" = open to everybody
}

// Routes gives all routes of the HTTP API.
func (t *Template) Routes() []Route {
	var all []Route
	for id := range t.OfType("AWS::Serverless::Function") {
		events, _ := t.Resources[id].Properties["Events"].(map[string]any)
		for _, e := range events {
			if At(e, "Type") != "HttpApi" {
				continue
			}
			r := Route{Key: "$default", Function: id}
			if path, ok := At(e, "Properties", "Path").(string); ok {
				method, _ := At(e, "Properties", "Method").(string)
				r.Key = strings.ToUpper(method) + " " + path
			}
			r.Authorizer, _ = At(t.Resources["Api"].Properties, "Auth", "DefaultAuthorizer").(string)
			if own, ok := At(e, "Properties", "Auth", "Authorizer").(string); ok {
				r.Authorizer = own
			}
			if r.Authorizer == "NONE" {
				r.Authorizer = ""
			}
			all = append(all, r)
		}
	}
	return all
}

// Statement is one statement of a role's policies.
type Statement struct {
	Sid, Effect string
	Actions     []string
	Resources   []any
	Condition   any
}

// Statements gives what a role's own policies say.
func (t *Template) Statements(role string) []Statement {
	var all []Statement
	policies, _ := t.Resources[role].Properties["Policies"].([]any)
	for _, p := range policies {
		statements, _ := At(p, "PolicyDocument", "Statement").([]any)
		for _, s := range statements {
			st := Statement{Resources: List(At(s, "Resource")), Condition: At(s, "Condition")}
			st.Sid, _ = At(s, "Sid").(string)
			st.Effect, _ = At(s, "Effect").(string)
			for _, a := range List(At(s, "Action")) {
				st.Actions = append(st.Actions, fmt.Sprint(a))
			}
			all = append(all, st)
		}
	}
	return all
}

// At follows keys through nested maps; nil when one is missing.
func At(v any, keys ...string) any {
	for _, k := range keys {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[k]
	}
	return v
}

// List gives a list as it is, and anything else as a list of one.
func List(v any) []any {
	switch v := v.(type) {
	case nil:
		return nil
	case []any:
		return v
	}
	return []any{v}
}
