// The outline of each MDX file that is named on standard input, as remark sees it: one line of JSON each.
// The folder with `unified`, `remark-parse`, `remark-mdx` and `remark-frontmatter` is the working directory.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import readline from 'node:readline'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

const require = createRequire(join(process.cwd(), 'outline.cjs'))
const load = async (name) => import(pathToFileURL(require.resolve(name)))
const { unified } = await load('unified')
const plugins = await Promise.all(['remark-parse', 'remark-mdx', 'remark-frontmatter'].map(load))
const processor = plugins.reduce((made, plugin) => made.use(plugin.default), unified())
const CONTAINERS = new Set(['root', 'mdxJsxFlowElement'])

function headings (node, found) {
  for (const inner of node.children ?? []) {
    if (inner.type === 'heading') found.push([inner.depth, '', inner.position.start.line])
    else if (CONTAINERS.has(inner.type)) headings(inner, found)
  }
  return found
}

for await (const path of readline.createInterface({ input: process.stdin })) {
  try {
    const text = readFileSync(path, 'utf8')
    const started = process.cpuUsage()
    const tree = processor.parse(text)
    const { user, system } = process.cpuUsage(started)
    console.log(JSON.stringify({ path, outline: headings(tree, []), seconds: (user + system) / 1e6 }))
  } catch (error) {
    console.log(JSON.stringify({ path, error: String(error) }))
  }
}
