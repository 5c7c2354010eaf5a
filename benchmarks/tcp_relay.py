"""The floor of a proxy: a program that joins each connection to one at another port of this machine.

It takes the other port as its argument, and prints its own.
"""

TCP_RELAY = r"""
import asyncio, sys
async def pump(reader, writer):
    while data := await reader.read(65536):
        writer.write(data)
    writer.close()
async def main():
    async def joined(reader, writer):
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", int(sys.argv[1]))
        await asyncio.gather(pump(reader, far_writer), pump(far_reader, writer))
    server = await asyncio.start_server(joined, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()
asyncio.run(main())
"""
