#!/usr/bin/env -S node --max-semi-space-size=8
import { runCli } from './cli.ts'

process.exitCode = await runCli(process.argv.slice(2))
