// Lists what a Go project defines and where it uses it, by Go's own type checker (go/parser, go/types).
//
// One JSON array on a line: ["d", path, line, column, name, kind] for a definition, ["u", path, line, column, path,
// line, column] for a use and the definition that it means. Columns count characters from 0. Packages of the project and of
// Go itself are read from source; every other package is empty, and what comes of that is left out, not guessed.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"unicode/utf8"
)

// A context is one way to build: what another system or another tag leaves out is read in another round.
type context struct {
	build    build.Context
	project  *project
	packages map[string]*types.Package
	busy     map[string]bool
}

type project struct {
	root    string
	modules map[string]string // module path to folder
	folders []string
	files   *token.FileSet
	parsed  map[string]*ast.File
	library types.Importer
	texts   map[string][]string
	lines   map[string]bool
	read    map[string]bool
}

func main() {
	root, err := filepath.Abs(os.Args[1])
	if err != nil {
		panic(err)
	}
	all := &project{root: root, modules: map[string]string{}, files: token.NewFileSet(),
		parsed: map[string]*ast.File{}, texts: map[string][]string{}, lines: map[string]bool{}, read: map[string]bool{}}
	all.library = importer.ForCompiler(all.files, "source", nil)
	tags := all.survey()
	for _, system := range []string{"linux", "windows", "darwin", "android"} {
		for _, with := range [][]string{nil, tags} {
			way := build.Default
			way.GOOS, way.CgoEnabled, way.BuildTags = system, true, with
			(&context{way, all, map[string]*types.Package{}, map[string]bool{}}).checkAll()
		}
	}
	all.print()
}

// survey finds modules and folders with Go files, and the tags that their build lines ask for.
func (all *project) survey() []string {
	tags, folders := map[string]bool{}, map[string]bool{}
	_ = filepath.Walk(all.root, func(path string, info os.FileInfo, err error) error {
		if err != nil {
			return nil
		}
		if info.IsDir() && (info.Name() == ".git" || info.Name() == "testdata" || info.Name() == "node_modules") {
			return filepath.SkipDir
		}
		if info.Name() == "go.mod" {
			all.modules[moduleOf(path)] = filepath.Dir(path)
		}
		if strings.HasSuffix(path, ".go") && !info.IsDir() {
			folders[filepath.Dir(path)] = true
			text, _ := os.ReadFile(path)
			for _, line := range strings.SplitN(string(text), "\n", 40) {
				if strings.HasPrefix(line, "//go:build ") {
					for _, word := range strings.FieldsFunc(line[11:], func(r rune) bool { return strings.ContainsRune("!&|() ", r) }) {
						tags[word] = true
					}
				}
			}
		}
		return nil
	})
	all.folders = sorted(folders)
	systems := map[string]bool{"linux": true, "windows": true, "darwin": true, "android": true, "ios": true, "ignore": true,
		"js": true, "wasm": true, "freebsd": true, "cgo": true, "plan9": true, "solaris": true}
	found := []string{}
	for _, tag := range sorted(tags) {
		if !systems[tag] {
			found = append(found, tag)
		}
	}
	return found
}

func moduleOf(path string) string {
	text, _ := os.ReadFile(path)
	for _, line := range strings.Split(string(text), "\n") {
		if strings.HasPrefix(line, "module ") {
			return strings.Trim(strings.TrimSpace(line[7:]), "\"")
		}
	}
	return path
}

func (way *context) checkAll() {
	for _, folder := range way.project.folders {
		for _, name := range way.packageNames(folder) {
			plain := way.filesOf(folder, name, false)
			tested := way.filesOf(folder, name, true)
			var checked *types.Package
			if len(tested) > 0 {
				checked = way.check(folder, tested, way)
			}
			if len(plain) > 0 && len(plain) == len(tested) && checked != nil {
				if _, known := way.packages[folder]; !known && name != "main" {
					way.packages[folder] = checked
				}
			}
			if outside := way.filesOf(folder, name+"_test", true); len(outside) > 0 {
				way.check(folder+"_test", outside, &beside{way, folder, checked})
			}
		}
	}
}

// beside imports for a test outside its package: the package itself comes with what its tests export.
type beside struct {
	way     *context
	folder  string
	checked *types.Package
}

func (own *beside) Import(path string) (*types.Package, error) {
	if own.way.folderOf(path) == own.folder && own.checked != nil {
		return own.checked, nil
	}
	return own.way.Import(path)
}

func (way *context) check(name string, files []*ast.File, from types.Importer) *types.Package {
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: from, FakeImportC: true, Error: func(error) {}}
	checked, _ := config.Check(name, way.project.files, files, info)
	way.project.note(files, info)
	return checked
}

func (way *context) Import(path string) (*types.Package, error) {
	folder := way.folderOf(path)
	if folder == "" {
		if strings.Contains(strings.SplitN(path, "/", 2)[0], ".") {
			return nil, fmt.Errorf("not of this project: %s", path)
		}
		return way.project.library.Import(path)
	}
	if found, known := way.packages[folder]; known {
		return found, nil
	}
	if way.busy[folder] {
		return nil, fmt.Errorf("imports itself: %s", path)
	}
	way.busy[folder] = true
	for _, name := range way.packageNames(folder) {
		if files := way.filesOf(folder, name, false); len(files) > 0 && name != "main" {
			way.packages[folder] = way.check(folder, files, way)
			return way.packages[folder], nil
		}
	}
	return nil, fmt.Errorf("no package: %s", path)
}

func (way *context) folderOf(path string) string {
	best, found := "", ""
	for module, folder := range way.project.modules {
		if (path == module || strings.HasPrefix(path, module+"/")) && len(module) > len(best) {
			best, found = module, filepath.Join(folder, strings.TrimPrefix(path, module))
		}
	}
	return found
}

func (way *context) packageNames(folder string) []string {
	names := map[string]bool{}
	for _, file := range way.parsedOf(folder) {
		names[strings.TrimSuffix(file.Name.Name, "_test")] = true
	}
	return sorted(names)
}

func (way *context) filesOf(folder, name string, withTests bool) []*ast.File {
	found := []*ast.File{}
	for _, file := range way.parsedOf(folder) {
		isTest := strings.HasSuffix(way.project.files.Position(file.Pos()).Filename, "_test.go")
		if file.Name.Name == name && (withTests || !isTest) {
			found = append(found, file)
		}
	}
	return found
}

func (way *context) parsedOf(folder string) []*ast.File {
	found := []*ast.File{}
	entries, _ := os.ReadDir(folder)
	for _, entry := range entries {
		path := filepath.Join(folder, entry.Name())
		if entry.IsDir() || !strings.HasSuffix(path, ".go") {
			continue
		}
		if fits, err := way.build.MatchFile(folder, entry.Name()); err != nil || !fits {
			continue
		}
		file, known := way.project.parsed[path]
		if !known {
			file, _ = parser.ParseFile(way.project.files, path, nil, parser.ParseComments)
			way.project.parsed[path] = file
		}
		if file != nil {
			found = append(found, file)
		}
	}
	return found
}

func (all *project) note(files []*ast.File, info *types.Info) {
	for _, file := range files {
		all.read[all.files.Position(file.Pos()).Filename] = true
		generated := isGenerated(file)
		for _, declared := range file.Decls {
			for _, name := range namesOf(declared) {
				if kind := kindOf(name, info); kind != "" {
					if generated {
						kind = "generated"
					}
					all.add("d", name.Pos(), token.NoPos, name.Name, kind)
				}
			}
		}
	}
	for name, object := range info.Uses {
		if _, isPackage := object.(*types.PkgName); !isPackage && object.Pos().IsValid() {
			all.add("u", name.Pos(), object.Pos(), "", "")
		}
	}
}

func isGenerated(file *ast.File) bool {
	for _, group := range file.Comments {
		for _, each := range group.List {
			if strings.HasPrefix(each.Text, "// Code generated ") && strings.HasSuffix(each.Text, "DO NOT EDIT.") {
				return true
			}
		}
	}
	return false
}

// namesOf lists the names that a declaration of a file binds outside of every function's body.
func namesOf(declared ast.Decl) []*ast.Ident {
	found := []*ast.Ident{}
	switch each := declared.(type) {
	case *ast.FuncDecl:
		found = append(found, each.Name)
	case *ast.GenDecl:
		for _, spec := range each.Specs {
			switch one := spec.(type) {
			case *ast.ValueSpec:
				found = append(found, one.Names...)
			case *ast.TypeSpec:
				ast.Inspect(one, func(node ast.Node) bool {
					if name, isName := node.(*ast.Ident); isName {
						found = append(found, name)
					}
					return true
				})
			}
		}
	}
	return found
}

func kindOf(name *ast.Ident, info *types.Info) string {
	object := info.Defs[name]
	if object == nil || name.Name == "_" {
		return ""
	}
	switch each := object.(type) {
	case *types.Func:
		if each.Type().(*types.Signature).Recv() != nil {
			return "method"
		}
		return "function"
	case *types.Const:
		return "constant"
	case *types.Var:
		if each.IsField() {
			return "field"
		}
		if each.Pkg() != nil && each.Parent() == each.Pkg().Scope() {
			return "variable"
		}
	case *types.TypeName:
		if _, isParameter := each.Type().(*types.TypeParam); !isParameter {
			return "type"
		}
	}
	return ""
}

func (all *project) add(what string, at, means token.Pos, name, kind string) {
	place := all.place(at)
	if place == nil {
		return
	}
	row := append([]any{what}, place...)
	if what == "d" {
		row = append(row, name, kind)
	} else {
		target := all.place(means)
		if target == nil {
			return
		}
		row = append(row, target...)
	}
	line, _ := json.Marshal(row)
	all.lines[string(line)] = true
}

func (all *project) place(at token.Pos) []any {
	where := all.files.Position(at)
	path, err := filepath.Rel(all.root, where.Filename)
	if err != nil || strings.HasPrefix(path, "..") {
		return nil
	}
	if _, known := all.texts[path]; !known {
		text, _ := os.ReadFile(where.Filename)
		all.texts[path] = strings.Split(string(text), "\n")
	}
	before := all.texts[path][where.Line-1][:where.Column-1]
	return []any{path, where.Line, utf8.RuneCountInString(before)}
}

func (all *project) print() {
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for _, line := range sorted(all.lines) {
		fmt.Fprintln(out, line)
	}
	for _, path := range sorted(all.read) {
		relative, _ := filepath.Rel(all.root, path)
		line, _ := json.Marshal([]any{"f", relative})
		fmt.Fprintln(out, string(line))
	}
}

func sorted(of map[string]bool) []string {
	found := []string{}
	for each := range of {
		found = append(found, each)
	}
	sort.Strings(found)
	return found
}
