package dev.carillon.coroutines

import dev.carillon.loop.EventLoop
import dev.carillon.shm.AsyncLink
import dev.carillon.shm.Frame
import dev.carillon.shm.LinkConfig
import dev.carillon.shm.PeerTicket
import dev.carillon.shm.ShmGuest
import dev.carillon.shm.ShmHost
import dev.carillon.shm.ShmLink
import dev.carillon.sys.call.Sys
import java.nio.ByteBuffer

/** A link whose ends are both in this process: the host's on a loop, the guest's to be used as it is. */
class TwoEnds(
    loop: EventLoop,
    config: LinkConfig = LinkConfig.builder().ring(8).build(),
) : AutoCloseable {
    private val owner = ShmHost.create()
    private val ticket = owner.addPeer(config)
    val host: ShmLink = ticket.link()
    val guest: ShmLink = attached()
    val async: AsyncLink = host.onLoop(loop)

    /** As a guest would that has inherited both descriptors, whose numbers only the package of links knows. */
    private fun attached(): ShmLink {
        val attach = ShmGuest::class.java.getDeclaredMethod("attach", Int::class.java, Int::class.java)
        attach.isAccessible = true
        return attach.invoke(null, copyOf("memoryNumber"), copyOf("bellNumber")) as ShmLink
    }

    private fun copyOf(method: String): Int {
        val number = PeerTicket::class.java.getDeclaredMethod(method)
        number.isAccessible = true
        return Sys
            .get()
            .descriptors()
            .duplicateFrom(number.invoke(ticket) as Int, 0)
            .acquire()
    }

    override fun close() {
        guest.close()
        owner.close()
        ticket.close()
    }

    companion object {
        fun frame(id: Int): Frame = Frame.of(1, id.toLong(), ByteBuffer.allocate(0))
    }
}
