-- What the Custodian decides about a request before Envoy routes it, and what its own 502 says. `turnwire-custodian envoy`
-- puts a table `config` in front of this file: what it knows from the spec and from its command line.
-- Nothing here looks at a body (TW-CUS-008), and no token gets into a message, a log field or an answer.

local METADATA = 'turnwire'

-- The placement token --------------------------------------------------------------------------------------------------

local ffi = require('ffi')
ffi.cdef 'int statx(int folder, const char *path, int flags, unsigned int mask, void *answer);'
local AT_FDCWD, BASIC, REGULAR = -100, 0x7ff, 8
-- The answer's layout is the same on each machine: these are its offsets in bytes.
local answer = ffi.new('uint64_t[32]')
local bytes = ffi.cast('uint8_t *', answer)
local mode, inode, size = ffi.cast('uint16_t *', bytes + 28), ffi.cast('uint64_t *', bytes + 32), ffi.cast('uint64_t *', bytes + 40)
local changed, changed_ns = ffi.cast('int64_t *', bytes + 112), ffi.cast('uint32_t *', bytes + 120)

-- What others may do with the file, 0 to 7, and which state of it this is; nil when that cannot be told, and for a folder.
local function look(path)
  if ffi.C.statx(AT_FDCWD, path, 0, BASIC, answer) ~= 0 then return nil end
  if math.floor(mode[0] / 4096) ~= REGULAR then return nil end
  return mode[0] % 8, { inode[0], size[0], changed[0], changed_ns[0] }
end

local function parse(path)
  local file = io.open(path, 'rb')
  if not file then return nil, 'cannot be read' end
  local text = file:read(256) or ''
  file:close()
  text = text:gsub('\r?\n$', '')
  local placement, mac = text:match('^([a-z0-9-]+)%.([%w_-]+)$')
  if not placement or #mac ~= 43 then return nil, 'holds no placement token' end
  if placement ~= config.placement then return nil, 'holds the token of another placement than ' .. config.placement end
  return text
end

local held, held_state

local function same(one, other)
  for index, value in ipairs(one) do
    if value ~= other[index] then return false end
  end
  return true
end

-- Reads the file again when it has changed (TW-CUS-017); why not, when it may not be used (TW-CUS-018).
local function refresh()
  local rights, state = look(config.token_file)
  if rights == nil then return 'cannot be read' end
  if rights ~= 0 then return 'can be read by others; run: chmod 600' end
  if held and same(state, held_state) then return nil end
  local token, why = parse(config.token_file)
  if not token then return why end
  held, held_state = token, state
end

-- Without a good one at the start, Envoy does not start.
do
  local why = refresh()
  if why then error('the placement token file ' .. config.token_file .. ' ' .. why, 0) end
end

-- The last good one counts while the file is being replaced. Looked at once for all requests of one millisecond.
local looked_at
local function current_token(now)
  if now ~= looked_at then refresh() end
  looked_at = now
  return held
end

-- Which route ----------------------------------------------------------------------------------------------------------

-- Once and no further (TW-CUS-006); nil for half an escape.
local function decode_once(text)
  if not text:find('%', 1, true) then return text end
  if text:gsub('%%%x%x', ''):find('%', 1, true) then return nil end
  return (text:gsub('%%(%x%x)', function(digits) return string.char(tonumber(digits, 16)) end))
end

local function split(path)
  local segments = {}
  for segment in (path .. '/'):gmatch('([^/]*)/') do segments[#segments + 1] = segment end
  return segments
end

-- The decoded segments of a path, or why the path could be read in two ways.
local function segments_of(path)
  if path:find('\\', 1, true) or path:find('%%2[fF]') or path:find('%%5[cC]') then
    return nil, 'the path holds an encoded slash'
  end
  local segments = split(path)
  for index, segment in ipairs(segments) do
    local decoded = decode_once(segment)
    if not decoded then return nil, 'the path is not well-formed percent-encoding' end
    if decoded == '.' or decoded == '..' then return nil, 'the path holds a dot segment' end
    segments[index] = decoded
  end
  return segments
end

local function is_iid(text) return #text >= 1 and #text <= 128 and not text:find('[^%w._~-]') end
local function is_delivery_id(text) return #text >= 1 and #text <= 128 and not text:find('[^\33-\126]') end

local function agent_route(method, segments)
  local leaf = segments[4]
  if #segments == 4 and method == 'GET' and leaf == 'surface' then return 'surface' end
  if #segments == 4 and method == 'POST' and leaf == 'events' then return 'pick' end
  if #segments == 5 and method == 'GET' and leaf == 'deliveries' and is_delivery_id(segments[5]) then return 'delivery' end
end

local function node_route(method, segments)
  if #segments == 3 and method == 'PUT' then return 'register' end
  if #segments == 4 and method == 'POST' and segments[4] == 'heartbeat' then return 'heartbeat' end
end

-- The five operations of TW-CUS-001, by name.
local function route_of(method, segments)
  if segments[1] ~= '' or #segments < 3 then return nil end
  if segments[2] == 'agents' and is_iid(segments[3]) then return agent_route(method, segments) end
  if segments[2] == 'nodes' and segments[3] == config.placement then return node_route(method, segments) end
end

-- What becomes of a request --------------------------------------------------------------------------------------------

local function malformed_target(target)
  if target:sub(1, 1) ~= '/' then return 'the request target must be a path' end
  if #target > config.max_target_length then return 'the request target is too long' end
  if target:find('#', 1, true) then return 'the request target holds a fragment' end
end

local function malformed_headers(headers)
  -- Envoy puts a comma between the values of a header that is given twice.
  if (headers:get(':authority') or ''):find(',', 1, true) then return 'Host is given more than once' end
  local authorization = headers:get('authorization')
  if authorization and not authorization:find('^%a+ [\33-\126]+$') then return 'Authorization is malformed' end
  if headers:get('upgrade') then return 'nothing is upgraded here' end
  local encoding = headers:get('transfer-encoding')
  if encoding and encoding:lower() ~= 'chunked' then return 'Transfer-Encoding may only be chunked' end
  local expect = headers:get('expect')
  if expect and expect:lower() ~= '100-continue' then return 'Expect may only be 100-continue' end
end

-- The route's name; or nil, a problem code and its detail. 400 for what could be read in two ways, 404 for a path that is
-- only odd, 403 without the Stand-in.
local function decide(headers)
  local target = headers:get(':path') or ''
  local why = malformed_target(target) or malformed_headers(headers)
  if why then return nil, 'bad_request', why end
  local path = target:match('^[^?]*')
  local segments, odd = segments_of(path)
  if not segments then return nil, 'bad_request', odd end
  local route = not path:find(';', 1, true) and route_of(headers:get(':method'), segments)
  if not route then return nil, 'no_route', 'the custodian forwards nothing at this path' end
  if headers:get('authorization') ~= 'Bearer ' .. config.stand_in then
    return nil, 'stand_in_missing', 'the request must carry the stand-in as its bearer token'
  end
  if tonumber(headers:get('content-length') or 0) > config.body_limit_bytes then
    return nil, 'too_large', 'the body is larger than ' .. config.body_limit_bytes .. ' bytes'
  end
  return route
end

-- Of the other headers only the listed ones go upstream (TW-CUS-005); the token takes the Stand-in's place (TW-CUS-004).
-- Without `x-forwarded-proto`, its own, Envoy routes nothing; the route takes it away.
local function rewrite(headers, token)
  local gone = {}
  for name in pairs(headers) do
    if name:sub(1, 1) ~= ':' and name ~= 'x-forwarded-proto' and not config.forwarded_headers[name] then gone[#gone + 1] = name end
  end
  for _, name in ipairs(gone) do headers:remove(name) end
  headers:replace('authorization', 'Bearer ' .. token)
end

-- For the log, and so that Envoy's own answers are told from the script's. Each note costs, so that there is one.
local function note(handle, decision, route, flags)
  local noted = { decision = decision, route = route, flags = flags, at = handle:timestamp() }
  handle:streamInfo():dynamicMetadata():set(METADATA, 'request', noted)
end

local function refuse(handle, code, detail)
  local problem = config.problems[code]
  note(handle, 'refuse', 'none')
  local headers = {
    [':status'] = tostring(problem.status),
    ['content-type'] = 'application/problem+json',
    [config.code_header] = code,
    [config.version_header] = config.version,
  }
  local body = '{"type":"urn:turnwire:problem:%s","title":"%s","status":%d,"detail":"%s","code":"%s"}'
  handle:respond(headers, body:format(code, problem.title, problem.status, detail, code))
end

function envoy_on_request(handle)
  local headers = handle:headers()
  local ran, route, code, detail = pcall(decide, headers)
  if not ran then return refuse(handle, 'internal_error', 'the custodian failed unexpectedly') end
  if not route then return refuse(handle, code, detail) end
  rewrite(headers, current_token(handle:timestamp()))
  -- The routes match only what has the token.
  handle:clearRouteCache()
  note(handle, 'forward', route)
end

-- The custodian's own 502 ----------------------------------------------------------------------------------------------

-- Envoy's flags in the words of the spec. `words` are its own, and the bytes that all attempts have written. That it ran out
-- of retries (URX), or of the time for them, is said only where that is none; and then it is all there is to say. Where an
-- earlier attempt may have arrived, a later one that did not is not (TW-CUS-013, TW-CUS-014).
local function flags_of(words, exhausted)
  local proof, all = {}, {}
  local flags, written = words:match('^(%S+) (%d+)$')
  for word in (flags or words):gmatch('%u+') do
    if word == config.exhausted_flag then
      exhausted = true
    elseif config.flags[word] ~= nil then
      all[#all + 1] = word
      if config.flags[word] then proof[#proof + 1] = word end
    end
  end
  if written ~= '0' then
    if #proof == #all then all[#all + 1] = config.unexplained_flag end
    return all
  end
  if not exhausted then return all end
  proof[#proof + 1] = config.exhausted_flag
  return proof
end

-- An answer without Envoy's flags is the Orchestrator's, or one of the script's refusals. A mark at this point is Envoy's
-- own: that of an upstream was removed with the answer's other headers (TW-CUS-015).
function envoy_on_response(handle)
  local headers = handle:headers()
  local words = headers:get(config.flags_header)
  if not words then return end
  headers:remove(config.flags_header)
  local noted = handle:streamInfo():dynamicMetadata():get(METADATA)
  local route = noted.request.route
  -- What was malformed after it had begun.
  if not headers:get(config.mark_header) then return note(handle, 'refuse', route) end
  local flags = flags_of(words, noted.window_over)
  note(handle, 'unreachable', route, #flags > 0 and flags or '-')
  local quoted = {}
  for index, flag in ipairs(flags) do quoted[index] = '"' .. flag .. '"' end
  local list = '"flags":[' .. table.concat(quoted, ',') .. ']'
  local body = handle:body()
  local text = body:getBytes(0, body:length()):gsub('"flags":%[%]', function() return list end)
  -- Where the system gave no reason, Envoy says nothing or a hyphen.
  text = text:gsub(': %-? ?%(', ' (', 1)
  -- The other reference to the headers ended when the script waited for the body.
  handle:headers():replace('content-length', tostring(body:setBytes(text)))
end
