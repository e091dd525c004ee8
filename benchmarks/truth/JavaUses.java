import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.ImportTree;
import com.sun.source.tree.MemberReferenceTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.TypeElement;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Lists what a Java project defines and where it uses it, by the JDK's own compiler.
 *
 * <p>Arguments: the project's folder, and a source path of other projects or "". The files come on standard input. One
 * JSON array on a line: ["d", path, line, column, name, kind], ["u", path, line, column, path, line, column] for a use
 * and the definition that it means, ["f", path]. Columns count characters from 0. A constructor is its class. Classes
 * that are missing are erroneous types; what hangs on them is left out, not guessed.
 */
public class JavaUses {
    private final Path root;
    private final Trees trees;
    private final Map<Element, String> places = new HashMap<>();
    private final TreeSet<String> lines = new TreeSet<>();

    JavaUses(Path root, Trees trees) {
        this.root = root;
        this.trees = trees;
    }

    public static void main(String[] arguments) throws IOException {
        Path root = Path.of(arguments[0]).toRealPath();
        List<Path> paths = new ArrayList<>();
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            paths.add(root.resolve(line));
        }
        List<String> options = new ArrayList<>(List.of("-proc:none", "-implicit:none", "-Xmaxerrs", "1",
                "-XDshould-stop.ifError=FLOW", "-XDshould-stop.at=FLOW", "-nowarn"));
        options.addAll(List.of("-sourcepath", arguments[1].isEmpty() ? root.resolve("no-such-folder").toString() : arguments[1]));
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager files = compiler.getStandardFileManager(null, Locale.ROOT, StandardCharsets.UTF_8);
        Iterable<? extends JavaFileObject> sources = files.getJavaFileObjectsFromPaths(paths);
        JavacTask task = (JavacTask) compiler.getTask(null, files, problem -> { }, options, null, sources);
        List<CompilationUnitTree> units = new ArrayList<>();
        task.parse().forEach(units::add);
        task.analyze();
        JavaUses uses = new JavaUses(root, Trees.instance(task));
        uses.read(units);
        PrintStream output = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        uses.lines.forEach(output::println);
        output.flush();
    }

    private void read(List<CompilationUnitTree> units) throws IOException {
        for (CompilationUnitTree unit : units) {
            Source source = new Source(unit);
            lines.add("[\"f\", \"" + source.path + "\"]");
            new Definitions(source).scan(unit, null);
        }
        for (CompilationUnitTree unit : units) {
            new Uses(new Source(unit)).scan(unit, null);
        }
    }

    /** A file with the places of its characters. */
    private final class Source {
        final CompilationUnitTree unit;
        final String text;
        final String path;
        final SourcePositions positions = trees.getSourcePositions();

        Source(CompilationUnitTree unit) throws IOException {
            this.unit = unit;
            Path file = Path.of(unit.getSourceFile().toUri());
            this.text = Files.readString(file, StandardCharsets.UTF_8);
            this.path = root.relativize(file.toRealPath()).toString();
        }

        String place(long offset) {
            int start = text.lastIndexOf('\n', (int) offset - 1) + 1;
            int column = text.codePointCount(start, (int) offset);
            return "\"" + path + "\", " + unit.getLineMap().getLineNumber(offset) + ", " + column;
        }

        boolean says(long offset, CharSequence name) {
            return offset >= 0 && text.startsWith(name.toString(), (int) offset);
        }

        long start(Tree tree) {
            return positions.getStartPosition(unit, tree);
        }

        long end(Tree tree) {
            return positions.getEndPosition(unit, tree);
        }
    }

    /** Notes where each class, method, field and constant is named; locals and parameters are left out. */
    private final class Definitions extends TreePathScanner<Void, Void> {
        private final Source source;

        Definitions(Source source) {
            this.source = source;
        }

        @Override
        public Void visitClass(ClassTree tree, Void nothing) {
            long from = source.end(tree.getModifiers());
            note(tree, tree.getSimpleName(), wordAfter(Math.max(from, source.start(tree)), tree.getSimpleName()));
            return super.visitClass(tree, nothing);
        }

        @Override
        public Void visitMethod(MethodTree tree, Void nothing) {
            if (!tree.getName().contentEquals("<init>")) {
                note(tree, tree.getName(), ((com.sun.tools.javac.tree.JCTree) tree).pos);
            }
            return super.visitMethod(tree, nothing);
        }

        @Override
        public Void visitVariable(VariableTree tree, Void nothing) {
            if (getCurrentPath().getParentPath().getLeaf() instanceof ClassTree) {
                note(tree, tree.getName(), ((com.sun.tools.javac.tree.JCTree) tree).pos);
            }
            return super.visitVariable(tree, nothing);
        }

        private void note(Tree tree, CharSequence name, long offset) {
            Element element = trees.getElement(getCurrentPath());
            if (element == null || name.length() == 0 || !source.says(offset, name)) {
                return;
            }
            String place = source.place(offset);
            places.put(element, place);
            String kind = element.getKind().name().toLowerCase(Locale.ROOT);
            boolean isTest = tree instanceof MethodTree method && method.getModifiers().getAnnotations().stream()
                    .anyMatch(each -> each.getAnnotationType().toString().contains("Test"));
            lines.add("[\"d\", " + place + ", \"" + name + "\", \"" + (isTest ? "test" : kind) + "\"]");
        }

        private long wordAfter(long from, CharSequence name) {
            int at = (int) from;
            while ((at = source.text.indexOf(name.toString(), at)) >= 0) {
                char before = at == 0 ? ' ' : source.text.charAt(at - 1);
                int end = at + name.length();
                char after = end < source.text.length() ? source.text.charAt(end) : ' ';
                if (Character.isWhitespace(before) && !Character.isJavaIdentifierPart(after)) {
                    return at;
                }
                at = end;
            }
            return -1;
        }
    }

    /** Notes each name that means something of the project. */
    private final class Uses extends TreePathScanner<Void, Void> {
        private final Source source;

        Uses(Source source) {
            this.source = source;
        }

        @Override
        public Void visitIdentifier(IdentifierTree tree, Void nothing) {
            note(tree.getName(), source.start(tree), trees.getElement(getCurrentPath()));
            return super.visitIdentifier(tree, nothing);
        }

        @Override
        public Void visitMemberSelect(MemberSelectTree tree, Void nothing) {
            long offset = source.end(tree) - tree.getIdentifier().length();
            note(tree.getIdentifier(), offset, trees.getElement(getCurrentPath()));
            return super.visitMemberSelect(tree, nothing);
        }

        @Override
        public Void visitMemberReference(MemberReferenceTree tree, Void nothing) {
            long offset = source.end(tree) - tree.getName().length();
            if (!tree.getName().contentEquals("<init>")) {
                note(tree.getName(), offset, trees.getElement(getCurrentPath()));
            }
            return super.visitMemberReference(tree, nothing);
        }

        @Override
        public Void visitImport(ImportTree tree, Void nothing) {
            if (tree.isStatic() && tree.getQualifiedIdentifier() instanceof MemberSelectTree select) {
                TreePath owner = new TreePath(new TreePath(getCurrentPath(), select), select.getExpression());
                if (trees.getElement(owner) instanceof TypeElement type) {
                    long offset = source.end(select) - select.getIdentifier().length();
                    for (Element each : type.getEnclosedElements()) {
                        if (each.getSimpleName().contentEquals(select.getIdentifier())) {
                            note(select.getIdentifier(), offset, each);
                        }
                    }
                }
            }
            return super.visitImport(tree, nothing);
        }

        private void note(CharSequence name, long offset, Element element) {
            if (element == null || !source.says(offset, name)) {
                return;
            }
            Element meant = element.getKind() == ElementKind.CONSTRUCTOR ? element.getEnclosingElement() : element;
            String target = places.get(meant);
            if (target == null && meant.getKind() == ElementKind.METHOD) {
                target = component(meant);
            }
            if (target != null && !name.toString().equals("this") && !name.toString().equals("super")) {
                lines.add("[\"u\", " + source.place(offset) + ", " + target + "]");
            }
        }

        /** The part of a record that an accessor which nobody wrote reads. */
        private String component(Element accessor) {
            Element owner = accessor.getEnclosingElement();
            for (Element each : owner.getKind() == ElementKind.RECORD ? owner.getEnclosedElements() : List.<Element>of()) {
                if (each.getKind() == ElementKind.FIELD && each.getSimpleName().equals(accessor.getSimpleName())) {
                    return places.get(each);
                }
            }
            return null;
        }
    }
}
