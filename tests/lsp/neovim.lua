-- A graph is opened, broken, mended, renamed in and completed, as somebody does at the keyboard. `PROGRAM` is the server.
-- Prints each step in a line.

local function say(text) io.stdout:write(text .. '\n') end

local function try()
  local file = vim.env.GRAPH
  vim.cmd('edit ' .. file)
  local buffer = vim.api.nvim_get_current_buf()
  local client = vim.lsp.start_client({ name = 'loopwright', cmd = { vim.env.PROGRAM, 'lsp' }, root_dir = vim.fn.getcwd() })
  vim.lsp.buf_attach_client(buffer, client)

  local function wait(what, holds)
    if not vim.wait(30000, holds, 20) then error('waited in vain for ' .. what) end
  end
  local function messages()
    local all = {}
    for _, found in ipairs(vim.diagnostic.get(buffer)) do table.insert(all, found.code .. ': ' .. found.message) end
    return table.concat(all, '; ')
  end
  local function find(text)
    for row, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) do
      local column = line:find(text, 1, true)
      if column then return row, column - 1, line end
    end
    error('there is no ' .. text)
  end
  local function replace(old, new)
    local row, column, line = find(old)
    vim.api.nvim_buf_set_lines(buffer, row - 1, row, false, { line:sub(1, column) .. new .. line:sub(column + #old + 1) })
  end
  local function go_to(text, further)
    local row, column = find(text)
    vim.api.nvim_win_set_cursor(0, { row, column + further })
  end
  local function request(method, params)
    local answers = vim.lsp.buf_request_sync(buffer, method, params or vim.lsp.util.make_position_params(), 30000)
    local _, answer = next(answers or {})
    if not answer or answer.err then error(method .. ': ' .. vim.inspect(answer)) end
    return answer.result
  end

  wait('the server', function() return vim.lsp.get_client_by_id(client) and vim.lsp.get_client_by_id(client).initialized end)
  replace('exhausted(rounds)', 'exhausted(round)')
  wait('a finding', function() return messages() ~= '' end)
  say('broken: ' .. messages())

  local actions = request('textDocument/codeAction', vim.tbl_extend('force', vim.lsp.util.make_given_range_params(
    { find('exhausted(round)'), 0 }, { find('exhausted(round)'), 80 }), { context = { diagnostics = {} } }))
  say('offered: ' .. actions[1].title)
  vim.lsp.util.apply_workspace_edit(actions[1].edit, 'utf-16')
  wait('no finding', function() return messages() == '' end)
  say('mended: ' .. select(3, find('exhausted(')))

  go_to('exhausted(rounds)', #'exhausted(')
  say('hover: ' .. vim.lsp.util.convert_input_to_markdown_lines(request('textDocument/hover').contents)[2])
  local edit = request('textDocument/rename', vim.tbl_extend('force', vim.lsp.util.make_position_params(), { newName = 'turns' }))
  vim.lsp.util.apply_workspace_edit(edit, 'utf-16')
  say('renamed: ' .. select(3, find('exhausted(')))
  vim.wait(300)
  wait('no finding after the rename', function() return messages() == '' end)

  replace('exhausted(turns)', 'exhausted()')
  go_to('exhausted()', #'exhausted(')
  local offered = {}
  local items = request('textDocument/completion')
  for _, item in ipairs(items.items or items) do table.insert(offered, item.label) end
  say('completed: ' .. table.concat(offered, ' '))

  vim.lsp.stop_client(client)
  wait('the end of the server', function() return not vim.lsp.get_client_by_id(client) or vim.lsp.get_client_by_id(client).is_stopped() end)
  say('stopped')
end

local fine, why = pcall(try)
if not fine then say('failed: ' .. why) end
vim.cmd(fine and 'qall!' or 'cquit!')
