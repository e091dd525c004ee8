// The outline of each AsciiDoc file that is named on standard input, as Asciidoctor sees it: one line of JSON each.
// The folder with `node_modules/@asciidoctor/core` is the working directory.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import readline from 'node:readline'

const core = createRequire(join(process.cwd(), 'outline.cjs'))('@asciidoctor/core')
const loaded = core.default ?? core
const processor = typeof loaded === 'function' ? loaded() : loaded

function headings (block, found) {
  for (const inner of block.getBlocks()) {
    if (inner.getContext() !== 'section') continue
    found.push([inner.getLevel() + 1, inner.getTitle(), inner.getLineNumber()])
    headings(inner, found)
  }
  return found
}

for await (const path of readline.createInterface({ input: process.stdin })) {
  try {
    const started = process.cpuUsage()
    const read = await processor.load(readFileSync(path, 'utf8'), { sourcemap: true, safe: 'secure' })
    const header = read.hasHeader() ? [[1, read.getHeader().title, read.getHeader().getLineNumber()]] : []
    const { user, system } = process.cpuUsage(started)
    console.log(JSON.stringify({ path, outline: headings(read, header), seconds: (user + system) / 1e6 }))
  } catch (error) {
    console.log(JSON.stringify({ path, error: String(error) }))
  }
}
