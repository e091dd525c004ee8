"""A small project with code, a model of itself and some discoveries, and the ways to ask a server about it."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests import document_wires
from tests.document_wires import Ask, Told
from tests.projects import Project

FLAGS = ("--toolsets", "context,guide")
AUTH_SERVICE = """\
import jwt from 'jsonwebtoken';
import { TokenManager } from './TokenManager';
import { UserRepository } from '../users/UserRepository';

/** Logs people in and gives them their token. */
export class AuthService {
  constructor(private users: UserRepository, private tokens: TokenManager) {}

  // Generate JWT token
  function generateToken(payload) {
    const token = jwt.sign(payload, SECRET);
    return token;
  }
}
""".replace("  function generateToken", "  generateToken")
TOKEN_MANAGER = """\
/** Refreshes tokens before they expire, one caller at a time. */
export class TokenManager {
  refresh(): string {
    return 'fresh';
  }
}
"""
USER_REPOSITORY = """\
/** Finds people by their e-mail address. */
export class UserRepository {
  findByEmail(address: string) {
    return [address];
  }
}
"""
INDEX = """\
import { AuthService } from './server/auth/AuthService';

export function main() {
  return new AuthService();
}
"""
MODEL = """\
version: 1
project: {name: Orchard, type: service, path: .}
tech: {stack: [TypeScript, PostgreSQL], runtime: node 22, packageManager: npm}
architecture: {pattern: layered, description: Handlers above services above repositories.}
modules:
  auth:
    name: auth
    description: Who is calling
    keyFiles:
      - {path: src/server/auth/AuthService.ts, role: core, description: logs in}
      - {path: src/index.ts, role: entry}
    patterns: [Tokens live in httpOnly cookies]
    businessRules: [A token lives an hour]
    commonIssues:
      - {description: Double refresh, solution: Take the mutex, sessionId: s1, discoveredAt: '2025-01-15T10:00:00Z'}
    dependencies: [users]
  users:
    name: users
    description: Who exists
    keyFiles:
      - {path: src/server/users/UserRepository.ts, role: core}
metadata: {createdAt: '2025-01-15T10:00:00Z', updatedAt: '2025-01-15T10:00:00Z', lastScanAt: '2025-01-15T10:00:00Z'}
"""
DISCOVERIES = (
    ("pattern", "auth", "Use JWT tokens in httpOnly cookies for authentication"),
    ("issue", "auth", "Token refresh race condition fixed with a mutex lock"),
    ("decision", "users", "Chose PostgreSQL over MongoDB because reports need joins"),
    ("rule", None, "Every migration must be reversible"),
    ("pattern", "users", "Repositories return plain records, never rows"),
)


def write_code(project: Project) -> None:
    """The files of the project; some of them nobody may see."""
    project.write("src/server/auth/AuthService.ts", AUTH_SERVICE)
    project.write("src/server/auth/TokenManager.ts", TOKEN_MANAGER)
    project.write("src/server/users/UserRepository.ts", USER_REPOSITORY)
    project.write("src/index.ts", INDEX)
    project.write(".context/project.yaml", MODEL)
    project.write(".gitignore", "logs/\n*.secret\n")
    project.write(".github/workflows/ci.yml", "on: push  # hidden and readable\n")
    for hidden in (".env", ".env.local", "packages/a/.env.production", ".git/config", "node_modules/left-pad/index.js"):
        project.write(hidden, "const hiddenword = 1;\n")
    for built in ("dist/a.js", "build/a.js", ".next/a.js", "packages/a/dist/b.js", "logs/today.log", "my.secret"):
        project.write(built, "const hiddenword = 1;\n")


def record_all(ask: Ask) -> list[dict[str, Any]]:
    """Record the discoveries; what the tool answered."""
    return [
        ask("guide_record", type=kind, content=content, **({"module": module} if module else {})).value
        for kind, module, content in DISCOVERIES
    ]


ask_by_command = document_wires.ask_by_command


@contextmanager
def ask_over_stdio(project: Project, *flags: str) -> Iterator[Ask]:
    """One server process on pipes, asked by the official client."""
    with document_wires.ask_over_stdio(project, *FLAGS, *flags) as ask:
        yield ask


@contextmanager
def ask_over_http(project: Project, *flags: str) -> Iterator[Ask]:
    """One server process on a port, asked by the official client."""
    with document_wires.ask_over_http(project, *FLAGS, *flags) as ask:
        yield ask


def refusal(told: Told) -> Any:
    """The JSON of an error."""
    return json.loads(told.error)


def timeless(value: dict[str, Any]) -> dict[str, Any]:
    """An answer without the time that it took."""
    assert isinstance(value["searchTime"], int)
    assert value["searchTime"] >= 0
    return {key: each for key, each in value.items() if key != "searchTime"}
