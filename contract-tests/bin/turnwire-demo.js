#!/usr/bin/env node
import "../dist/demo.js";
