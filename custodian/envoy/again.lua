-- Runs for each attempt, before anything of it is written. What is not a read goes out again only within the window
-- (TW-CUS-011): Envoy counts its retries, but a connect that timed out has taken longer than all of them may.

local METADATA = 'turnwire'

function envoy_on_request(handle)
  local metadata = handle:streamInfo():dynamicMetadata()
  local noted = metadata:get(METADATA)
  if not noted or config.reads[noted.request.route] then return end
  if handle:timestamp() - noted.request.at < config.retry_window_ms then return end
  metadata:set(METADATA, 'window_over', true)
  handle:respond({ [':status'] = '503' }, 'no attempt got as far as sending the request, and the time for more is over')
end
